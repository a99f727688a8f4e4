/** Puts a rule made from a request into the draft, and opens it. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { shownCall } from '../../../../src/domain/shown/shown-call.ts';
import type { JsonText } from '../../../../src/platform/json/exact-json.ts';
import { readSource } from '../../../../src/platform/json/source-values.ts';
import { call } from '../../shared/api/api.ts';
import type { EditedDocument } from '../../shared/editor/use-document.ts';
import { placeOfNewRule, ruleFromRequest, type DraftedRule } from './document/from-request.ts';
import { addBlock } from './document/rule-edits.ts';
import type { Scope } from './rules-data.ts';
import { rules as text } from './text.ts';

interface FromRequestProps {
  readonly id: string;
  readonly scope: Scope;
  readonly document: EditedDocument;
  readonly setOpen: (pointer: string) => void;
  readonly onTold: (message: string) => void;
}

export function FromRequest({ id, scope, document, setOpen, onTold }: FromRequestProps) {
  const navigate = useNavigate();
  const { data, isError } = useQuery({
    queryKey: ['rules', 'from', id],
    queryFn: async () => (await drafted(id, scope)) ?? null,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const { edit, read } = document;
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || (data === undefined && !isError)) return;
    isDone.current = true;
    if (data && read.value !== undefined) {
      const index = placeOfNewRule(read.value);
      edit((all) => addBlock(all, { list: '/blocks', index }, data.block));
      setOpen(`/blocks/${index}`);
    }
    onTold(saidOf(data));
    // A reload keeps the draft, and must not add the rule again.
    void navigate({ to: '.', search: {}, replace: true });
  }, [data, isError, read, edit, setOpen, onTold, navigate]);
  return null;
}

const saidOf = (rule: DraftedRule | null | undefined): string => {
  if (!rule) return text.notDrafted;
  return [text.drafted, ...(rule.untested.length > 0 ? [text.untested(rule.untested)] : [])].join(
    ' ',
  );
};

async function drafted(id: string, { agent }: Scope): Promise<DraftedRule | undefined> {
  const params = { path: { id } };
  const { body } = await call('get', '/api/v1/requests/{id}', { params }, ['arguments']);
  const whole = readSource((body.arguments as unknown as JsonText).text);
  if (!whole || body.agent_slug !== agent) return undefined;
  const { presentation, hidden_names: hiddenNames, tool, server, status } = body;
  const { hidden } = shownCall({ whole }, { presentation, hiddenNames });
  return ruleFromRequest({
    ...{ tool, server, isDenied: status === 'denied', arguments: whole, hidden },
  });
}
