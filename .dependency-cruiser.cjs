/** The dependency rule: imports point down. Each rule's comment says what it keeps. */
const LAYERS = 'auth|projects|credentials|console|health|metrics';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports has no reason to exist; entries and ambient types excepted.',
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
      name: 'client-stands-alone',
      comment: 'The typed client imports nothing of ours.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { path: '^src/', pathNot: '^src/client/' },
    },
    {
      name: 'client-has-one-door',
      comment: 'The client is entered by client/index.ts only.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/' },
      to: { path: '^src/client/', pathNot: '^src/client/index\\.ts$' },
    },
    {
      name: 'embedded-platform-stands-alone',
      comment: 'A platform that shared constants with the client would agree with its mistakes.',
      severity: 'error',
      from: { path: '^src/embedded-platform/' },
      to: { path: '^src/', pathNot: '^src/embedded-platform/' },
    },
    {
      name: 'embedded-platform-is-plain-node',
      severity: 'error',
      from: { path: '^src/embedded-platform/' },
      to: { dependencyTypesNot: ['core', 'local', 'type-only'] },
    },
    {
      name: 'embedded-platform-is-loaded-by-the-app-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(embedded-platform/|platform/platform\\.module\\.ts$|demo-platform\\.ts$)' },
      to: { path: '^src/embedded-platform/' },
    },
    {
      name: 'session-knows-no-layer-above',
      severity: 'error',
      from: { path: '^src/session/' },
      to: { path: `^src/(${LAYERS}|graphql|main|app)` },
    },
    {
      name: 'credentials-know-the-client-only',
      severity: 'error',
      from: { path: '^src/credentials/' },
      to: { path: '^src/', pathNot: '^src/(credentials|client|config|errors|session)/' },
    },
    {
      name: 'auth-and-projects-are-strangers',
      severity: 'error',
      from: { path: '^src/(auth|projects)/' },
      to: { path: '^src/(auth|projects)/', pathNot: '^src/$1/' },
    },
    {
      name: 'config-is-at-the-bottom',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/', pathNot: '^src/config/' },
    },
    {
      name: 'nest-by-role-only',
      comment: 'Nest is known to the files whose suffix says so; the rest is plain TypeScript.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/app/(serve|app\\.factory)\\.ts$',
          '\\.(module|resolver|service|controller|model|input|plugin|indicator|adapter)\\.ts$',
        ],
      },
      to: { path: '^node_modules/@nestjs/' },
    },
    {
      name: 'cloud-sdks-in-credentials-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/credentials/' },
      to: { path: '^node_modules/(@aws-sdk|@azure|@google-cloud)/' },
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
