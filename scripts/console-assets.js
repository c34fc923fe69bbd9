/** Copies the console's libraries next to its page, so that they load from this service and from no other host. */
import { copyFile } from 'node:fs/promises';

const LIBRARIES = [
  'graphiql/graphiql.min.js',
  'graphiql/graphiql.min.css',
  'react/umd/react.production.min.js',
  'react-dom/umd/react-dom.production.min.js',
];

const root = new URL('../', import.meta.url);
await Promise.all(
  LIBRARIES.map((path) =>
    copyFile(
      new URL(`node_modules/${path}`, root),
      new URL(`dist/console/page/${path.split('/').at(-1)}`, root),
    ),
  ),
);
