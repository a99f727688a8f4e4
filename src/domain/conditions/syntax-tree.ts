/**
 * cel-js keeps the whole concrete syntax tree: about 9 KB for a leaf, mostly one node per level of
 * operator precedence. This module folds it to what evaluation reads, for a fifth of the memory and
 * less time. `test/domain/conditions/syntax-tree.test.ts` fails when cel-js builds other trees.
 */
import { parse, type evaluate } from 'cel-js';

/** A parsed CEL expression, as `evaluate` takes it. */
export type SyntaxTree = Exclude<Parameters<typeof evaluate>[0], string>;
type Element = NonNullable<SyntaxTree['children'][string]>[number];
type Token = Exclude<Element, SyntaxTree>;

/** Levels that only pass on the value of their single child. */
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

/** A tree with the same value, at most as deep as the given one. */
function foldSyntaxTree(node: SyntaxTree): SyntaxTree {
  const only = onlyChild(node);
  if (only && PRECEDENCE_LEVELS.has(node.name)) return foldSyntaxTree(only);
  const children: SyntaxTree['children'] = {};
  for (const [name, elements] of Object.entries(node.children)) {
    // The first argument of exists() and all() is a name, which cel-js looks for below all the
    // levels.
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

/**
 * Parsed once for each kind of expression, because parsing would be most of the cost of compiling a
 * condition.
 */
const templates = new Map<string, SyntaxTree>();

function templateOf(source: string): SyntaxTree {
  const known = templates.get(source);
  if (known) return known;
  const parsed = parse(source);
  if (!parsed.isSuccess) throw new Error(`the expression ${source} does not parse`);
  const tree = foldSyntaxTree(parsed.cst);
  templates.set(source, tree);
  return tree;
}

/** Replacements for a template's identifiers and numbers: other names, or whole expressions. */
export type Filling = Readonly<Record<string, string | SyntaxTree>>;

/**
 * The tree of `source` with some of its identifiers and numbers replaced. There are few sources, so
 * their trees are cached.
 */
export function filledTree(source: string, filling: Filling): SyntaxTree {
  return fill(templateOf(source), filling);
}

function fill(node: SyntaxTree, filling: Filling): SyntaxTree {
  const [token] = node.children['Identifier'] ?? [];
  const hole = token && !isNode(token) ? filling[token.image] : undefined;
  if (node.name === 'identifierExpression' && typeof hole === 'object') return hole;
  const children: SyntaxTree['children'] = {};
  for (const [name, elements] of Object.entries(node.children))
    children[name] = elements.map((element) =>
      isNode(element) ? fill(element, filling) : renamed(element, filling),
    );
  return { name: node.name, children };
}

function renamed(token: Token, filling: Filling): Token {
  const image = filling[token.image];
  return typeof image === 'string' ? { ...token, image } : token;
}

/** The tree of the parts joined by `&&` or `||`, in parentheses. */
export function joinedTree(parts: readonly SyntaxTree[], operator: '&&' | '||'): SyntaxTree {
  const [first, ...others] = parts;
  const [second] = others;
  if (!first || !second) return filledTree('(a)', first ? { a: first } : {});
  const joined = filledTree(`(a ${operator} b)`, { a: first, b: second });
  const [junction] = joined.children['expr'] ?? [];
  if (!junction || !isNode(junction)) throw new Error('cel-js builds other trees than expected');
  const name = operator === '&&' ? 'LogicalAndOperator' : 'LogicalOrOperator';
  const [token] = junction.children[name] ?? [];
  if (!token) throw new Error('cel-js builds other trees than expected');
  junction.children['rhs'] = [...others];
  junction.children[name] = others.map(() => token);
  return joined;
}
