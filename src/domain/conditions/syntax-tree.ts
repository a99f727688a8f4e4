/**
 * cel-js keeps the whole concrete syntax tree: about 9 KB for a leaf of a condition, mostly one node per level of operator
 * precedence. Here it is folded to what evaluation reads, which costs a fifth of the memory and less time.
 */
import type { evaluate } from 'cel-js';

/** A parsed CEL expression, as `evaluate` takes it. */
export type SyntaxTree = Exclude<Parameters<typeof evaluate>[0], string>;
type Element = NonNullable<SyntaxTree['children'][string]>[number];
type Token = Exclude<Element, SyntaxTree>;

/** Levels that only hand on what their single child evaluates to. */
const PRECEDENCE_LEVELS = new Set([
  'expr',
  'conditionalOr',
  'conditionalAnd',
  'relation',
  'addition',
  'multiplication',
  'unaryExpression',
  'atomicExpression',
]);

const isNode = (element: Element): element is SyntaxTree => 'children' in element;

/** A tree that evaluates to the same; at most as deep as the one given. */
export function foldSyntaxTree(node: SyntaxTree): SyntaxTree {
  const only = onlyChild(node);
  if (only && PRECEDENCE_LEVELS.has(node.name)) return foldSyntaxTree(only);
  const children: SyntaxTree['children'] = {};
  for (const [name, elements] of Object.entries(node.children)) {
    // The first argument of exists() and all() is a name, which cel-js looks for below all the levels.
    const isName = node.name === 'identifierDotExpression' && name === 'arg';
    children[name] = isName
      ? elements
      : elements.map((element) => (isNode(element) ? foldSyntaxTree(element) : slim(element)));
  }
  return { name: node.name, children };
}

function onlyChild(node: SyntaxTree): SyntaxTree | undefined {
  const [elements, ...others] = Object.values(node.children);
  const [element, ...siblings] = elements ?? [];
  return element && siblings.length === 0 && others.length === 0 && isNode(element)
    ? element
    : undefined;
}

function slim({ image, startOffset, tokenType, tokenTypeIdx }: Token): Token {
  return { image, startOffset, tokenType, tokenTypeIdx };
}
