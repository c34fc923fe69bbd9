/** The dependency rule: imports point down, from room to room as .dependency-rooms.cjs lists them. */
const ROOMS = require('./.dependency-rooms.cjs');

/** A regular expression for the files of a room; those of its subfolders are other rooms. */
const filesOf = (room) => `^src/${room === '' ? '' : `${room}/`}[^/]+$`;

const roomRules = Object.entries(ROOMS).map(([room, imports]) => ({
  name: `${room === '' ? 'entries' : room}-imports-what-its-room-may`,
  comment: 'Imports point down. If this arrow is meant, add it in .dependency-rooms.cjs.',
  severity: 'error',
  from: { path: filesOf(room) },
  to: { path: '^src/', pathNot: [room, ...imports].map(filesOf) },
}));

module.exports = {
  forbidden: [
    ...roomRules,
    {
      name: 'every-folder-is-a-room',
      comment: 'A new folder needs a line in .dependency-rooms.cjs.',
      severity: 'error',
      from: { path: '^src/', pathNot: [...Object.keys(ROOMS).map(filesOf), '^src/console/page/'] },
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
      name: 'client-is-entered-by-its-index',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/' },
      to: { path: '^src/client/', pathNot: '^src/client/index\\.ts$' },
    },
    {
      name: 'embedded-platform-is-entered-by-its-index',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/embedded-platform/' },
      to: { path: '^src/embedded-platform/', pathNot: '^src/embedded-platform/index\\.ts$' },
    },
    {
      name: 'embedded-platform-is-plain-node',
      comment: 'A platform that shared code with the client would repeat the mistakes of the client.',
      severity: 'error',
      from: { path: '^src/embedded-platform/' },
      to: { dependencyTypesNot: ['core', 'local', 'type-only'] },
    },
    {
      name: 'embedded-platform-is-loaded-on-demand',
      comment: 'A service with a real platform never loads the embedded one.',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/embedded-platform/', dynamic: false },
    },
    {
      name: 'errors-are-plain',
      comment: 'The codes and reasons can be imported in a browser.',
      severity: 'error',
      from: { path: '^src/errors/' },
      to: { pathNot: '^src/errors/' },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports is not needed, except for entries and ambient types.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['^src/console/page/', '^src/(index|main|demo-platform)\\.ts$', '\\.d\\.ts$'],
      },
      to: {},
    },
    {
      name: 'no-dev-dependency-in-src',
      severity: 'error',
      from: { path: '^src' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      from: { path: '^src' },
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
          '\\.(module|resolver|service|controller|model|input|plugin|indicator|adapter)\\.ts$',
        ],
      },
      to: { path: '^node_modules/@nestjs/' },
    },
    {
      name: 'telemetry-is-loaded-on-demand',
      comment:
        'A service that exports nothing runs without these packages: import their types only, or on demand.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/@opentelemetry/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'cloud-sdks-in-providers-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/credentials/providers/' },
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
