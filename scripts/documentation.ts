/**
 * What the doc comments of the library say: the coverage of its documentation, and the page that is made of them.
 *
 *   node scripts/documentation.ts      prints the coverage, and fails if anything is missing
 */
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const DOORS = ['client', 'credentials', 'embedded-platform', 'errors'] as const;

/** One name that a door exports, or a public member of one. */
export interface Documented {
  readonly door: (typeof DOORS)[number];
  readonly name: string;
  readonly isType: boolean;
  readonly text: string;
  readonly params: readonly { readonly name: string; readonly text: string }[];
  readonly throws: readonly string[];
  /** Whether a call of it may throw or reject. */
  readonly mayFail: boolean;
  readonly example: string | undefined;
  /** Its constructor and methods, if it is a class. */
  readonly members: readonly Documented[];
}

/** Everything that the doors export. `portico/internal` is no door for users. */
export function documented(): Documented[] {
  const entries = DOORS.map((door) => `packages/portico/src/${door}/index.ts`);
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  return DOORS.flatMap((door, at) => {
    const source = program.getSourceFile(entries[at] ?? '');
    const module = source && checker.getSymbolAtLocation(source);
    return (module === undefined ? [] : checker.getExportsOfModule(module)).map((name) => {
      if (!(name.flags & ts.SymbolFlags.Alias)) return describe(name, door, checker);
      const symbol = checker.getAliasedSymbol(name);
      const isType = (symbol.flags & ts.SymbolFlags.Value) === 0 || isTypeOnly(name);
      return describe(symbol, door, checker, isType);
    });
  });
}

function describe(
  symbol: ts.Symbol,
  door: Documented['door'],
  checker: ts.TypeChecker,
  isType = (symbol.flags & ts.SymbolFlags.Value) === 0,
): Documented {
  const comment = symbol.getDocumentationComment(checker);
  const declarations = (symbol.declarations ?? []).filter(isCallable);
  const described = fromComment(comment, symbol.getJsDocTags(checker), declarations, checker);
  const members = membersOf(symbol, checker).map((each) => describe(each, door, checker));
  const made = isType ? [] : constructorOf(symbol, door, checker);
  return { door, name: symbol.name, isType, ...described, members: [...made, ...members] };
}

/** The constructor that users may call, if the class has one of its own. */
function constructorOf(symbol: ts.Symbol, door: Documented['door'], checker: ts.TypeChecker): Documented[] {
  const all = (symbol.declarations ?? []).flatMap((each) =>
    ts.isClassDeclaration(each) ? each.members.filter((member) => ts.isConstructorDeclaration(member)) : [],
  );
  const open = all.find((each) => !isInternal(each));
  const signature = open && checker.getSignatureFromDeclaration(open);
  if (signature === undefined) return [];
  const declarations = all.filter((each) => each === open || each.body !== undefined);
  const comment = signature.getDocumentationComment(checker);
  const described = fromComment(comment, signature.getJsDocTags(), declarations, checker);
  return [{ door, name: 'constructor', isType: false, ...described, members: [] }];
}

function fromComment(
  comment: ts.SymbolDisplayPart[],
  tags: readonly ts.JSDocTagInfo[],
  declarations: readonly ts.SignatureDeclaration[],
  checker: ts.TypeChecker,
): Pick<Documented, 'text' | 'params' | 'throws' | 'mayFail' | 'example'> {
  const text = ts.displayPartsToString(comment);
  const textsOf = (tag: string): string[] =>
    tags.filter(({ name }) => name === tag).map(({ text: of }) => ts.displayPartsToString(of));
  const paramTexts = textsOf('param').map((of): [string, string] => [
    /^\w+/.exec(of)?.[0] ?? '',
    of.replace(/^\w+[\s-]*/, ''),
  ]);
  const [first] = declarations;
  return {
    text,
    // A parameter that is taken apart has the name that its comment gives it.
    params: (first?.parameters ?? []).map(({ name }, at) => {
      const own = ts.isIdentifier(name) ? name.text : (paramTexts[at]?.[0] ?? `parameter ${at + 1}`);
      return { name: own, text: new Map(paramTexts).get(own) ?? '' };
    }),
    throws: textsOf('throws'),
    mayFail: !/never\s+rejects/i.test(text) && declarations.some((each) => mayFail(each, checker)),
    example: textsOf('example')[0]?.replaceAll(/^```.*\n?/gm, ''),
  };
}

function isCallable(each: ts.Node): each is ts.FunctionDeclaration | ts.MethodDeclaration {
  return ts.isFunctionDeclaration(each) || ts.isMethodDeclaration(each);
}

/** Whether a call may reject, or throws somewhere in the library. */
function mayFail(declaration: ts.SignatureDeclaration, checker: ts.TypeChecker): boolean {
  const signature = checker.getSignatureFromDeclaration(declaration);
  const result = signature && checker.getReturnTypeOfSignature(signature).getSymbol()?.name;
  return result === 'Promise' || throwsWithin(declaration, checker, new Set());
}

function throwsWithin(node: ts.Node, checker: ts.TypeChecker, seen: Set<ts.Node>): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  const inside = (child: ts.Node | undefined): boolean =>
    child !== undefined && throwsWithin(child, checker, seen);
  if (ts.isThrowStatement(node)) return true;
  if (ts.isTryStatement(node) && node.catchClause !== undefined) {
    return inside(node.catchClause.block) || inside(node.finallyBlock);
  }
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const called = checker.getResolvedSignature(node)?.declaration;
    const isOurs = called?.getSourceFile().fileName.includes('packages/portico/src/') === true;
    if (isOurs && (ts.getJSDocTags(called).some(isThrows) || inside(called))) return true;
  }
  // A function that is not passed on is called later, if at all.
  return (
    ts.forEachChild(node, (child) => {
      const isLater = ts.isFunctionLike(child) && !ts.isCallExpression(node);
      return !isLater && inside(child);
    }) ?? false
  );
}

function isThrows({ tagName }: ts.JSDocTag): boolean {
  return tagName.text === 'throws';
}

/** Whether a door exports a class as a type. */
function isTypeOnly({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((each) => ts.isTypeOnlyImportOrExportDeclaration(each));
}

function membersOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol[] {
  const classes = (symbol.declarations ?? []).filter((each) => ts.isClassDeclaration(each));
  const all = classes.flatMap((each) => [
    ...baseMembers(each, checker),
    ...each.members.filter(
      (member) =>
        ts.isMethodDeclaration(member) &&
        ts.isIdentifier(member.name) &&
        !isInternal(member) &&
        !isOverride(member),
    ),
  ]);
  return all.flatMap((member) => {
    const found = member.name && checker.getSymbolAtLocation(member.name);
    return found === undefined ? [] : [found];
  });
}

/** The methods of a base class that no door exports. */
function baseMembers(each: ts.ClassDeclaration, checker: ts.TypeChecker): ts.ClassElement[] {
  const base = each.heritageClauses?.flatMap(({ types }) => [...types])[0];
  const symbol = base && checker.getTypeAtLocation(base.expression).getSymbol();
  const declaration = symbol?.name === 'HeldSession' ? symbol.declarations?.[0] : undefined;
  if (declaration === undefined || !ts.isClassDeclaration(declaration)) return [];
  return declaration.members.filter(
    (member) => ts.isMethodDeclaration(member) && ts.isIdentifier(member.name) && !isInternal(member),
  );
}

function isOverride(member: ts.ClassElement): boolean {
  return (
    ts.canHaveModifiers(member) &&
    ts.getModifiers(member)?.some(({ kind }) => kind === ts.SyntaxKind.OverrideKeyword) === true
  );
}

function isInternal(member: ts.ClassElement): boolean {
  const isHidden =
    ts.canHaveModifiers(member) &&
    ts
      .getModifiers(member)
      ?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword);
  return isHidden === true || ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal');
}

/** What is missing: a description, an example of an export, a parameter, what a call may throw. */
export function missingDocumentation(all: readonly Documented[] = documented()): string[] {
  return all.flatMap((one) => [
    ...(one.text === '' ? [`${one.door} ${one.name}: no description`] : []),
    ...(one.example === undefined ? [`${one.door} ${one.name}: no example`] : []),
    ...[one, ...one.members].flatMap(({ name, text, params, throws, mayFail: fails }) => [
      ...(fails && throws.length === 0
        ? [`${one.door} ${one.name} ${name}: no @throws, and it may fail`]
        : []),
      ...(text === '' && name !== 'constructor' ? [`${one.door} ${one.name} ${name}: no description`] : []),
      ...params
        .filter((param) => param.text === '')
        .map((param) => `${one.door} ${one.name} ${name}: no description of ${param.name}`),
    ]),
  ]);
}

/** docs/reference.md. */
export function referencePage(): string {
  const sections = DOORS.map((door) => {
    const own = documented().filter((one) => one.door === door);
    return `## \`portico/${door}\`\n\n${own.map((one) => entry(one, '###')).join('\n')}`;
  });
  return `# Reference of the library

Generated from the doc comments by npm run generate. The tests compile and run every example, with an embedded platform, its \`baseUrl\`, a
\`client\` for it and a \`session\` that is logged in. Everything here follows semantic versioning; what \`portico/internal\` exports is for the
service of Portico and may change in any version.

${sections.join('\n')}`;
}

function entry({ name, text, params, throws, example, members }: Documented, heading: string): string {
  const lines = [`${heading} \`${name}\``, '', ...(text === '' ? [] : [text, ''])];
  for (const param of params) lines.push(`- \`${param.name}\`: ${oneLine(param.text)}`);
  for (const thrown of throws) lines.push(`- throws ${oneLine(thrown)}`);
  if (params.length + throws.length > 0) lines.push('');
  if (example !== undefined) lines.push('```ts', example, '```', '');
  return [...lines, ...members.map((member) => entry(member, '####'))].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const all = documented();
  const missing = missingDocumentation(all);
  const withExample = all.filter(({ example }) => example !== undefined).length;
  const described = all.filter(({ text }) => text !== '').length;
  const failing = all.flatMap((one) => [one, ...one.members]).filter(({ mayFail: fails }) => fails);
  const saying = failing.filter(({ throws }) => throws.length > 0).length;
  console.log(`${all.length} exports: ${described} described, ${withExample} with an example.`);
  console.log(`${failing.length} functions and methods may fail: ${saying} say how.`);
  for (const each of missing) console.log(each);
  if (missing.length > 0) process.exitCode = 1;
}
