import { describe, expect, it } from 'vitest';
import ts from 'typescript';

const ENTRY = 'packages/portico/src/client/index.ts';

/** Every name that the client exports, and every public member of it, with its comment. */
function publicNames(): { name: string; comment: string }[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: ['node'],
  };
  const program = ts.createProgram([ENTRY], options);
  const checker = program.getTypeChecker();
  const entry = program.getSourceFile(ENTRY);
  const module = entry && checker.getSymbolAtLocation(entry);
  if (module === undefined) throw new Error(`${ENTRY} exports nothing.`);
  const commentOf = (symbol: ts.Symbol): string =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker));

  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const names = [{ name: symbol.name, comment: commentOf(symbol) }];
    for (const declaration of symbol.declarations ?? []) {
      if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) continue;
      for (const member of declaration.members) {
        if (!member.name || !ts.isIdentifier(member.name)) continue;
        if (ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(isPrivate)) continue;
        const of = checker.getSymbolAtLocation(member.name);
        names.push({ name: `${symbol.name}.${member.name.text}`, comment: of ? commentOf(of) : '' });
      }
    }
    return names;
  });
}

function isPrivate({ kind }: ts.Modifier): boolean {
  return kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword;
}

/** What the platform's own objects are made of is named by the platform. */
const NAMED_BY_THE_PLATFORM = /^(?:Platform(?:User|SessionInfo|Project|ProjectOwner)|SnapshotCookie)\./;

describe('the public names of the client', () => {
  const names = publicNames();

  it('are found', () => {
    expect(names.length).toBeGreaterThan(100);
  });

  it('each have a comment that says what they mean', () => {
    const silent = names.filter(({ name, comment }) => comment === '' && !NAMED_BY_THE_PLATFORM.test(name));

    expect(silent.map(({ name }) => name)).toEqual([]);
  });
});
