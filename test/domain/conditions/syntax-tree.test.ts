/** cel-js builds the syntax trees that src/domain/conditions/syntax-tree.ts folds and fills. A failure names what an upgrade changed. */
import { describe, expect, test } from '@jest/globals';
import { evaluate, parse } from 'cel-js';
import {
  filledTree,
  joinedTree,
  type SyntaxTree,
} from '../../../src/domain/conditions/syntax-tree.ts';

/** The names of a tree's nodes and of their tokens. */
function namesIn(tree: SyntaxTree): { nodes: string[]; tokens: string[] } {
  const [nodes, tokens] = [new Set([tree.name]), new Set<string>()];
  const add = (node: SyntaxTree): void => {
    for (const [name, elements] of Object.entries(node.children))
      for (const element of elements)
        if ('children' in element) {
          nodes.add(element.name);
          add(element);
        } else tokens.add(name);
  };
  add(tree);
  return { nodes: [...nodes].sort(), tokens: [...tokens].sort() };
}

describe('cel-js', () => {
  test('has one node for each level of precedence, and the names that are looked for', () => {
    const parsed = parse('x.exists(e, f(e) == 1) || !(a && b)');
    if (!parsed.isSuccess) throw new Error(parsed.errors.join());
    expect(namesIn(parsed.cst)).toEqual({
      nodes: [
        'addition',
        'atomicExpression',
        'conditionalAnd',
        'conditionalOr',
        'expr',
        'identifierDotExpression',
        'identifierExpression',
        'macrosExpression',
        'multiplication',
        'parenthesisExpression',
        'relation',
        'unaryExpression',
      ],
      tokens: [
        'CloseParenthesis',
        'Comma',
        'ComparisonOperator',
        'Dot',
        'Identifier',
        'Integer',
        'LogicalAndOperator',
        'LogicalOrOperator',
        'OpenParenthesis',
        'UnaryOperator',
        'close',
        'open',
      ],
    });
  });

  test.each<[string, SyntaxTree, boolean]>([
    ['another name', filledTree('a == 1', { a: 'x' }), true],
    ['another number', filledTree('a == 1', { a: 'x', '1': '2' }), false],
    ['a whole expression', filledTree('!(a)', { a: filledTree('b == 1', { b: 'x' }) }), false],
    ['a list', filledTree('list.exists(e, e == 2)', {}), true],
    [
      'three alternatives',
      joinedTree(
        ['y', 'z', 'x'].map((b) => filledTree('b == 1', { b })),
        '||',
      ),
      true,
    ],
    [
      'three conditions',
      joinedTree(
        ['x', 'x', 'y'].map((b) => filledTree('b == 1', { b })),
        '&&',
      ),
      false,
    ],
  ])('evaluates a tree with %s', (_what, tree, expected) => {
    expect(evaluate(tree, { x: 1, y: 2, z: 3, list: [1, 2] })).toBe(expected);
  });
});
