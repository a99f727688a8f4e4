/** Asking colleagues for help with a request. */
import { Button, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ForeignText } from '../../../exact/foreign-text.tsx';
import { call } from '../../../shell/api.ts';
import type { components } from '../../../shell/openapi.d.ts';
import { requests as text } from '../../../text/requests.ts';
import { requestKey, type RequestDetail } from '../requests-data.ts';
import classes from './ask-for-help.module.css';

const MOST_PEOPLE = 20;

export function AskForHelp({ request }: { readonly request: RequestDetail }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <div className={classes['help']}>
      <Button
        variant="default"
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.help}
      </Button>
      <div role="status">{asked > 0 && text.helpDone(asked)}</div>
      <dialog
        ref={dialog}
        className={classes['dialog']}
        aria-labelledby="help-title"
        onClose={() => {
          setOpen(false);
        }}
      >
        {isOpen && (
          <Candidates
            request={request}
            done={(people) => {
              setAsked(people);
              setOpen(false);
            }}
            close={() => {
              setOpen(false);
            }}
          />
        )}
      </dialog>
    </div>
  );
}

type Candidate = components['schemas']['ReviewerCandidate'];

interface CandidateListProps {
  readonly candidates: readonly Candidate[] | undefined;
  readonly chosen: readonly string[];
  readonly toggle: (member: string) => void;
}

function CandidateList({ candidates, chosen, toggle }: CandidateListProps) {
  const isFull = chosen.length === MOST_PEOPLE;
  return (
    <ul className={classes['list']}>
      {candidates?.map(
        ({ membership_id: id, display_name: name, email, already_routed: isAsked }) => (
          <li key={id}>
            <label className={classes['candidate']}>
              <input
                type="checkbox"
                disabled={isAsked || (isFull && !chosen.includes(id))}
                checked={isAsked || chosen.includes(id)}
                onChange={() => {
                  toggle(id);
                }}
              />
              <span>
                <ForeignText text={name} />{' '}
                <span className={classes['hint']}>
                  <ForeignText text={email} />
                  {isAsked && ` · ${text.alreadyAsked}`}
                </span>
              </span>
            </label>
          </li>
        ),
      )}
      {candidates?.length === 0 && <li className={classes['hint']}>{text.helpNone}</li>}
    </ul>
  );
}

function useCandidates(id: string, q: string) {
  return useQuery({
    queryKey: ['requests', 'candidates', id, q],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { q, limit: 50 } };
      return (await call('get', '/api/v1/requests/{id}/reviewer-candidates', { signal, params }))
        .body.candidates;
    },
  });
}

interface CandidatesProps {
  readonly request: RequestDetail;
  readonly done: (people: number) => void;
  readonly close: () => void;
}

function Candidates({ request, done, close }: CandidatesProps) {
  const { id } = request;
  const queries = useQueryClient();
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { data: candidates, error } = useCandidates(id, q);
  const ask = useMutation({
    mutationFn: async () =>
      await call('post', '/api/v1/requests/{id}/reviewers', {
        params: { path: { id } },
        body: { membership_ids: [...chosen] },
      }),
    onSuccess: async () => {
      done(chosen.length);
      await queries.invalidateQueries({ queryKey: requestKey(id) });
    },
  });
  const toggle = (member: string) => {
    setChosen(
      chosen.includes(member) ? chosen.filter((each) => each !== member) : [...chosen, member],
    );
  };
  return (
    <div className={classes['candidates']}>
      <h2 id="help-title">{text.helpTitle}</h2>
      <p className={classes['hint']}>{text.helpHint}</p>
      <TextInput
        label={text.helpSearch}
        type="search"
        value={q}
        maxLength={100}
        onChange={({ currentTarget }) => {
          setQ(currentTarget.value);
        }}
      />
      <CandidateList candidates={candidates} chosen={chosen} toggle={toggle} />
      <div role="alert">{(ask.error ?? error)?.message}</div>
      <div className={classes['buttons']}>
        <Button variant="default" onClick={close}>
          {text.close}
        </Button>
        <Button
          disabled={chosen.length === 0}
          loading={ask.isPending}
          onClick={() => {
            ask.mutate();
          }}
        >
          {text.helpSend(chosen.length)}
        </Button>
      </div>
    </div>
  );
}
