/** Puts rules for a coding agent into the draft. They are those of the example that the guide names. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { EditedDocument } from '../../shared/editor/use-document.ts';
import { placeOfNewRule } from './document/from-request.ts';
import { addBlock } from './document/rule-edits.ts';
import { rules as text } from './text.ts';

const [codingAgent = []] = Object.values(
  import.meta.glob<readonly object[]>(
    '../../../../examples/configuration/pipelines/agents/desk-coder.yaml',
    { eager: true, import: 'blocks' },
  ),
);

interface StarterRulesProps {
  readonly document: EditedDocument;
  readonly isReadOnly: boolean;
  readonly onTold: (message: string) => void;
}

export function StarterRules({ document, isReadOnly, onTold }: StarterRulesProps) {
  const navigate = useNavigate();
  const { edit, read } = document;
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    if (isReadOnly || read.value === undefined) onTold(text.noStarterRules);
    else {
      const start = placeOfNewRule(read.value);
      edit((all) =>
        codingAgent.reduce<string>(
          (rules, block, place) =>
            addBlock(rules, { list: '/blocks', index: start + place }, block),
          all,
        ),
      );
      onTold(text.starterRules);
    }
    // A reload keeps the draft, and must not add the rules again.
    void navigate({ to: '.', search: {}, replace: true });
  }, [isReadOnly, read, edit, onTold, navigate]);
  return null;
}
