import js from '@eslint/js';
import graphql from '@graphql-eslint/eslint-plugin';
import tseslint from 'typescript-eslint';

const environmentIsReadOnce = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read in src/config, and by the credential providers.',
};

const typesAreImportedInline = {
  selector: 'ImportDeclaration[importKind="type"][source.value=/^(\\.|node:)/] > ImportSpecifier',
  message: 'Write import { type X }. A whole import type is for packages that may be absent at run time.',
};

/** What is private is written #name (ADR 3). */
const privateByHash = [
  {
    selector: ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"])[accessibility]',
    message: 'Write #name for what is private, and nothing for what is public.',
  },
  {
    selector: 'ClassDeclaration:not(:has(> Decorator)) TSParameterProperty[accessibility]',
    message: 'Only what Nest injects may be a private parameter property.',
  },
];

/** What the scripts of our pages find in a browser. */
const BROWSER = [
  'performance',
  'BroadcastChannel',
  'document',
  'fetch',
  'FormData',
  'localStorage',
  'location',
  'MutationObserver',
  'navigator',
  'setInterval',
  'setTimeout',
  'clearTimeout',
  'URLSearchParams',
  'window',
];

export default tseslint.config(
  // Projects of their own, with their own compiler settings.
  {
    ignores: [
      '**/dist/',
      '**/node_modules/',
      'coverage/',
      'data/',
      'public/',
      'examples/page/',
      'examples/consumers/',
      'examples/libraries/',
      // Their packages are not installed with those of the checkout.
      'examples/federation/*/',
    ],
  },
  { ...js.configs.recommended, ignores: ['**/*.gql'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './examples/nest-host/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Nest's models are classes for the sake of their decorators; plain objects fill them.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'packages/portico/src/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 40 }],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        environmentIsReadOnce,
        typesAreImportedInline,
        ...privateByHash,
        { selector: 'ExportDefaultDeclaration', message: 'Exports have names.' },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'packages/portico/src/**/*.ts'],
    rules: { 'max-len': ['error', { code: 1000, comments: 118, ignoreUrls: true }] },
  },
  {
    files: ['src/config/**/*.ts', 'packages/portico/src/credentials/providers/*.ts'],
    rules: { 'no-restricted-syntax': ['error', typesAreImportedInline, ...privateByHash] },
  },
  {
    // In a browser, an import of types only must not load the file that has them.
    files: ['packages/portico/src/errors/index.ts', 'packages/portico/src/errors/client-table.ts'],
    rules: { 'no-restricted-syntax': ['error', environmentIsReadOnce, ...privateByHash] },
  },
  {
    files: ['test/**/*.ts', 'packages/portico/test/**/*.ts', 'examples/nest-host/test/**/*.ts'],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'no-restricted-syntax': ['error', typesAreImportedInline],
      // What a GraphQL answer holds is what the tests are there to find out.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      globals: { process: 'readonly', console: 'readonly', module: 'writable', URL: 'readonly' },
    },
  },
  {
    files: ['src/console/page/*.js', 'examples/embedding/*.js'],
    languageOptions: { globals: Object.fromEntries(BROWSER.map((name) => [name, 'readonly'])) },
    rules: { 'max-lines': ['error', { max: 300 }] },
  },
  {
    files: ['schema.gql'],
    languageOptions: { parser: graphql.parser },
    plugins: { '@graphql-eslint': graphql },
    rules: {
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
        },
      ],
      '@graphql-eslint/description-style': ['error', { style: 'block' }],
      '@graphql-eslint/no-hashtag-description': 'error',
      '@graphql-eslint/no-typename-prefix': 'error',
      '@graphql-eslint/naming-convention': [
        'error',
        {
          types: 'PascalCase',
          FieldDefinition: 'camelCase',
          InputValueDefinition: 'camelCase',
          EnumValueDefinition: 'UPPER_CASE',
        },
      ],
      '@graphql-eslint/unique-type-names': 'error',
      '@graphql-eslint/unique-field-definition-names': 'error',
    },
  },
);
