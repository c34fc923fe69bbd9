import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import ts from 'typescript';
import { type Documented, documented, missingDocumentation } from '../../../scripts/documentation.js';
import { runNode } from './support/app/run-node.js';

const all = documented();

/** Within the checkout, so that the package is found by its name. */
const parent = join(process.cwd(), 'packages/portico/test');
mkdirSync(parent, { recursive: true });
const folder = mkdtempSync(join(parent, '.examples-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What every example has at hand. */
const PRELUDE = `
  import { PlatformClient } from 'portico/client';
  import { startEmbeddedPlatform } from 'portico/embedded-platform';
  export const platform = await startEmbeddedPlatform({
    routes: {
      'GET reports': () => Response.json([{ id: 'R1', name: 'Sales' }]),
      'GET reports/{id}': (_request, { params }) => Response.json({ id: params.id }),
      'POST reports': () => new Response('', { status: 201 }),
    },
  });
  export const { baseUrl } = platform;
  export const client = new PlatformClient({ baseUrl });
  export const session = client.openSession();
  await session.login({ username: 'demo', password: 'demo' });
  export const close = async (): Promise<void> => {
    await client.close();
    await platform.close();
  };`;

/** The program that an example is: everything that the doors export, and the prelude, is imported where it is named. */
function programOf({ door, name, example = '' }: Documented): {
  file: string;
  text: string;
  printed: string[];
} {
  const own = new Set(
    [...example.matchAll(/(?:const|let|using|function) (\w+)/g)].map(([, declared]) => declared),
  );
  const isUsed = (word: string): boolean => !own.has(word) && new RegExp(`\\b${word}\\b`).test(example);
  const imports = all
    .filter((other) => isUsed(other.name))
    .filter((other, at, used) => used.findIndex(({ name }) => name === other.name) === at)
    .map((other) => `import { ${other.isType ? 'type ' : ''}${other.name} } from 'portico/${other.door}';`);
  const given = ['platform', 'baseUrl', 'client', 'session'].filter(isUsed);
  const text = [
    ...imports,
    `import { ${[...given, 'close'].join(', ')} } from './prelude.ts';`,
    // What an example holds with `await using` is closed first.
    `{\n${example}\n}`,
    'await close();',
    'export {};',
  ].join('\n');
  const printed = [...example.matchAll(/console\.log\(.*\);? \/\/ (.*)$/gm)].map(([, line]) => line ?? '');
  return { file: `${door}-${name}.ts`, text, printed };
}

const programs = all.map(programOf);
writeFileSync(join(folder, 'prelude.ts'), PRELUDE);
for (const { file, text } of programs) {
  writeFileSync(join(folder, file), text);
  // Each has a platform of its own.
  writeFileSync(join(folder, `run-${file}`), text.replace('./prelude.ts', `./prelude.ts?${file}`));
}
writeFileSync(
  join(folder, 'all.ts'),
  `import { format } from 'node:util';
  const print = console.log;
  let printed = [];
  console.log = (...values) => printed.push(format(...values));
  for (const { file, expected } of ${JSON.stringify(programs.map(({ file, printed }) => ({ file, expected: printed })))}) {
    printed = [];
    await import('./run-' + file);
    const missing = expected.filter((line) => !printed.includes(line));
    print(file, missing.length === 0 ? 'ok' : 'printed ' + printed.join(', ') + ' in place of ' + missing.join(', '));
  }`,
);

describe('the doc comments of the library', () => {
  it('describe every export, parameter and error, and give every export an example', () => {
    expect(all.length).toBeGreaterThan(100);
    expect(missingDocumentation(all)).toEqual([]);
  });

  it('have examples that compile', () => {
    const files = programs.map(({ file }) => join(folder, file));
    const options: ts.CompilerOptions = {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2023,
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ['node'],
    };
    const problems = ts.getPreEmitDiagnostics(ts.createProgram(files, options));

    expect(
      problems.map(
        ({ file, messageText }) =>
          `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      ),
    ).toEqual([]);
  });

  it('have examples that run, and print what they say', async () => {
    const { stdout, stderr } = await runNode([join(folder, 'all.ts')]);

    expect({ stdout, stderr }).toEqual({
      stdout: programs.map(({ file }) => `${file} ok\n`).join(''),
      stderr: '',
    });
  });
});
