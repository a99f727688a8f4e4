/** A field for JSON with line numbers, colors and problems at their lines. Load it when it is needed: it is large. */
import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { tags } from '@lezer/highlight';
import { basicSetup, EditorView } from 'codemirror';
import { useEffect, useRef } from 'react';
import { readSource } from '../../../../src/platform/json/source-values.ts';
import { endOf, parentOf } from './json-places.ts';
import type { Problem } from './problems.ts';

export interface JsonEditorProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** By pointer into the text. */
  readonly problems?: readonly Problem[];
  readonly isReadOnly?: boolean;
}

const NO_PROBLEMS: readonly Problem[] = [];

const colors = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.propertyName, color: 'var(--accent-text)' },
    { tag: tags.string, color: 'var(--ink)' },
    { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
    { tag: [tags.brace, tags.squareBracket, tags.separator], color: 'var(--ink-soft)' },
  ]),
);

const look = EditorView.theme({
  '&': {
    maxHeight: '70vh',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--sheet)',
    color: 'var(--ink)',
    fontSize: 'var(--text-small)',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    borderRight: '1px solid var(--line)',
    backgroundColor: 'var(--sunken)',
    color: 'var(--ink-soft)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--accent-wash)' },
  '.cm-tooltip, .cm-panels': {
    border: '1px solid var(--line-strong)',
    backgroundColor: 'var(--sheet)',
    color: 'var(--ink)',
  },
});

const nonceOf = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.nonce ?? '';

export function JsonEditor(props: JsonEditorProps) {
  const { label, text, onChange, problems = NO_PROBLEMS, isReadOnly = false } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  const first = useRef(text);
  useEffect(() => {
    changed.current = onChange;
  }, [onChange]);
  useEffect(() => {
    if (!place.current) return undefined;
    const editor = new EditorView({
      parent: place.current,
      doc: first.current,
      extensions: [
        basicSetup,
        json(),
        colors,
        look,
        EditorView.lineWrapping,
        EditorView.cspNonce.of(nonceOf()),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorState.readOnly.of(isReadOnly),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) changed.current(state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    return () => {
      first.current = editor.state.doc.toString();
      editor.destroy();
      view.current = undefined;
    };
  }, [label, isReadOnly]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const shown = editor.state.doc.toString();
    // Changes from elsewhere, such as an undo.
    if (shown !== text) editor.dispatch({ changes: { from: 0, to: shown.length, insert: text } });
    editor.dispatch(
      setDiagnostics(
        editor.state,
        problems.map((each) => diagnosticOf(text, each)),
      ),
    );
  }, [text, problems]);
  return <div ref={place} />;
}

/** At the value, or at the nearest part of the document around it. */
function diagnosticOf(text: string, { pointer, message, at }: Problem): Diagnostic {
  const severity = 'error' as const;
  if (at !== undefined)
    return {
      severity,
      message,
      from: Math.max(0, Math.min(at, text.length) - 1),
      to: Math.min(at + 1, text.length),
    };
  const root = readSource(text);
  let near = pointer;
  while (near !== '' && !root?.at(near)) near = parentOf(near);
  const value = root?.at(near);
  if (!value) return { severity, message, from: 0, to: 0 };
  // The first line of a long value says enough.
  const line = text.indexOf('\n', value.offset);
  const end = endOf(value);
  return { severity, message, from: value.offset, to: line < 0 ? end : Math.min(end, line) };
}
