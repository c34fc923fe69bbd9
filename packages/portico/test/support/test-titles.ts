import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Titles of the tests that a file runs, as they stand in its source: `it('…')` and `it.each(…)('…')`, not skipped ones. */
export function testTitles(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title) && isTest(node.expression))
        titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles;
}

function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === 'it';
  if (ts.isParenthesizedExpression(callee)) return true;
  return ts.isCallExpression(callee) && callee.expression.getText().startsWith('it.each');
}
