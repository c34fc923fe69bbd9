/** The dependency rule: imports point down, from room to room as .dependency-rooms.cjs lists them. */
const ROOMS = require('./.dependency-rooms.cjs');

/** The folder of a room. */
const folderOf = (room) =>
  room === 'src'
    ? 'src'
    : room.startsWith('portico/')
      ? `packages/portico/src/${room.slice(8)}`
      : `src/${room}`;

/** A regular expression for the files of a room; those of its subfolders are other rooms. */
const filesOf = (room) => `^${folderOf(room)}/[^/]+$`;

/** The service reaches the library by its name, so by what its build made; its own code by relative paths. */
const OURS = '^(src|packages/portico/(src|dist))/';

/** What exports traces and metrics to a collector. */
const EXPORTS = '^src/telemetry/(start-export|metric-producer)\\.ts$';

const roomRules = Object.entries(ROOMS).map(([room, imports]) => ({
  name: `${room}-imports-what-its-room-may`,
  comment: 'Imports point down. If this arrow is meant, add it in .dependency-rooms.cjs.',
  severity: 'error',
  from: { path: filesOf(room) },
  to: {
    path: OURS,
    pathNot: [room, ...imports].flatMap((each) => [filesOf(each), filesOf(each).replace('/src/', '/dist/')]),
  },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'every-folder-is-a-room',
      comment: 'A new folder needs a line in .dependency-rooms.cjs.',
      severity: 'error',
      from: {
        path: OURS,
        pathNot: [...Object.keys(ROOMS).map(filesOf), '^packages/portico/dist/', '^src/console/page/'],
      },
      to: {},
    },
    {
      name: 'no-cycles-between-rooms',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'the-library-is-entered-by-its-doors',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: '^packages/portico/',
        pathNot: '^packages/portico/(src|dist)/([^/]+/index|client/internal)\\.',
      },
    },
    {
      name: 'a-room-of-the-library-enters-the-client-by-its-door',
      severity: 'error',
      from: { path: '^packages/portico/src/', pathNot: '^packages/portico/src/client/' },
      to: { path: '^packages/portico/src/client/', pathNot: '^packages/portico/src/client/index\\.ts$' },
    },
    {
      name: 'embedded-platform-is-plain-node',
      comment: 'A platform that shared code with the client would repeat the mistakes of the client.',
      severity: 'error',
      from: { path: '^packages/portico/src/embedded-platform/' },
      to: { dependencyTypesNot: ['core', 'local', 'type-only'] },
    },
    {
      name: 'embedded-platform-is-loaded-on-demand',
      comment: 'A service with a real platform never loads the embedded one.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^packages/portico/(src|dist)/embedded-platform/', dynamic: false },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports is not needed, except for entries and ambient types.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '^src/console/page/',
          '^src/(index|main|demo-platform|testing)\\.ts$',
          '/dist/',
          '\\.d\\.ts$',
        ],
      },
      to: {},
    },
    {
      name: 'no-dev-dependency-in-src',
      severity: 'error',
      from: { path: OURS },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      from: { path: OURS },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'] },
    },
    {
      name: 'nest-by-role-only',
      comment: 'Only files with a Nest suffix import Nest; the rest is plain TypeScript.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/app/(serve|app\\.factory)\\.ts$',
          '^src/config/settings\\.ts$',
          '\\.(module|resolver|service|controller|guard|filter|pipe|model|input|plugin|indicator|adapter)\\.ts$',
        ],
      },
      to: { path: '^node_modules/@nestjs/' },
    },
    {
      name: 'opentelemetry-in-the-exports-only',
      comment: 'A service that exports nothing does not load these packages: import their types only.',
      severity: 'error',
      from: { path: OURS, pathNot: EXPORTS },
      to: { path: 'node_modules/@opentelemetry/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'exports-are-loaded-on-demand',
      severity: 'error',
      from: { path: OURS, pathNot: EXPORTS },
      to: { path: EXPORTS, dynamic: false },
    },
    {
      name: 'cloud-sdks-in-providers-only',
      severity: 'error',
      from: { path: OURS, pathNot: '^packages/portico/(src|dist)/credentials/providers/' },
      to: { path: 'node_modules/(@aws-sdk|@azure|@google-cloud)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
