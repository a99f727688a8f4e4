/** Who to ask for help with a request. Loaded when someone wants to ask. */
import {
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '../../../shared/design/button.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { call } from '../../../shared/api/api.ts';
import { useOnline } from '../../../shared/browser/online.ts';
import { useSettled } from '../../../shared/browser/settled.ts';
import type { components } from '../../../shared/api/openapi.d.ts';
import { accountQuery } from '../../../shared/session/session.ts';
import { requests as text } from '../../../shared/text/requests.ts';
import { requestKey, type RequestDetail } from '../requests-data.ts';
import { OfflineReason } from './offline-reason.tsx';
import classes from './ask-for-help.module.css';

const MOST_PEOPLE = 20;
const MOST_FOUND = 50;

type Candidate = components['schemas']['ReviewerCandidate'];

interface Candidates {
  readonly people: readonly Candidate[];
  /** True when a search would find others. */
  readonly isMore: boolean;
}

interface CandidateListProps {
  readonly candidates: Candidates | undefined;
  readonly chosen: readonly Candidate[];
  /** The list is of what was searched before. */
  readonly isOld: boolean;
  readonly toggle: (candidate: Candidate) => void;
}

const isIn = (list: readonly Candidate[], { membership_id: id }: Candidate): boolean =>
  list.some((each) => each.membership_id === id);

function CandidateList({ candidates, chosen, isOld, toggle }: CandidateListProps) {
  const isFull = chosen.length === MOST_PEOPLE;
  return (
    <ul className={classes['list']} aria-busy={isOld}>
      {candidates?.people.map((candidate) => {
        const { notified_at: notifiedAt, already_routed: isRouted } = candidate;
        const isAsked = notifiedAt !== undefined;
        const isChosen = isIn(chosen, candidate);
        return (
          <li key={candidate.membership_id}>
            <label className={classes['candidate']}>
              <input
                type="checkbox"
                disabled={isAsked || (isFull && !isChosen)}
                checked={isAsked || isChosen}
                onChange={() => {
                  toggle(candidate);
                }}
              />
              <span>
                <ForeignText text={candidate.display_name} />{' '}
                <span className={classes['hint']}>
                  <ForeignText text={candidate.email} />
                  {isAsked && ` · ${text.alreadyAsked}`}
                  {!isAsked && isRouted && ` · ${text.askedLater}`}
                </span>
              </span>
            </label>
          </li>
        );
      })}
      {candidates?.people.length === 0 && <li className={classes['hint']}>{text.helpNone}</li>}
      {candidates?.isMore && <li className={classes['hint']}>{text.helpMore}</li>}
    </ul>
  );
}

/** Also people that the current search does not find. */
function Chosen({ chosen }: Pick<CandidateListProps, 'chosen'>) {
  return (
    <p className={classes['hint']}>
      {text.helpChosen}{' '}
      {chosen.map(({ membership_id: id, display_name: name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <ForeignText text={name} />
        </span>
      ))}
    </p>
  );
}

/** Who else may decide. */
function useCandidates(id: string, q: string) {
  const { data: account } = useSuspenseQuery(accountQuery);
  return useQuery({
    queryKey: ['requests', 'candidates', id, q],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { q, limit: MOST_FOUND } };
      const path = '/api/v1/requests/{id}/reviewer-candidates';
      const { body } = await call('get', path, { signal, params });
      const isOther = (each: Candidate) => each.membership_id !== account.principal.membership_id;
      return {
        isMore: body.candidates.length === MOST_FOUND,
        people: body.candidates.filter(isOther),
      };
    },
  });
}

interface CandidateSearchProps {
  readonly q: string;
  readonly change: (q: string) => void;
}

function CandidateSearch({ q, change }: CandidateSearchProps) {
  return (
    <label className={classes['search']}>
      <span>{text.helpSearch}</span>
      <input
        type="search"
        autoFocus
        value={q}
        maxLength={100}
        onChange={({ currentTarget }) => {
          change(currentTarget.value);
        }}
      />
    </label>
  );
}

interface ChoosePeopleProps {
  readonly request: RequestDetail;
  readonly done: (people: number) => void;
  readonly close: () => void;
}

export function ChoosePeople({ request: { id }, done, close }: ChoosePeopleProps) {
  const queries = useQueryClient();
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<readonly Candidate[]>([]);
  const search = useSettled(q);
  const reason = useId();
  const isOnline = useOnline();
  const { data: candidates, error, isPlaceholderData: isOld } = useCandidates(id, search);
  const ask = useMutation({
    mutationFn: async () =>
      await call('post', '/api/v1/requests/{id}/reviewers', {
        params: { path: { id } },
        body: { membership_ids: chosen.map((each) => each.membership_id) },
      }),
    onSuccess: async () => {
      done(chosen.length);
      await queries.invalidateQueries({ queryKey: requestKey(id) });
    },
  });
  const toggle = (candidate: Candidate) => {
    const others = chosen.filter((each) => each.membership_id !== candidate.membership_id);
    setChosen(isIn(chosen, candidate) ? others : [...chosen, candidate]);
  };
  if (q === '' && search === '' && !isOld && isNoneLeft(candidates))
    return <NoneLeft close={close} />;
  return (
    <div className={classes['candidates']}>
      <h2 id="help-title">{text.helpTitle}</h2>
      <p className={classes['hint']}>{text.helpHint}</p>
      <CandidateSearch q={q} change={setQ} />
      <CandidateList candidates={candidates} chosen={chosen} isOld={isOld} toggle={toggle} />
      {chosen.length > 0 && <Chosen chosen={chosen} />}
      <OfflineReason id={reason} />
      <div role="alert">{(ask.error ?? error)?.message}</div>
      <div className={classes['buttons']}>
        <Button isSecondary onClick={close}>
          {text.close}
        </Button>
        <Button
          disabled={chosen.length === 0 || !isOnline || ask.isPending}
          aria-describedby={reason}
          aria-busy={ask.isPending}
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

const isNoneLeft = (candidates: Candidates | undefined): boolean =>
  candidates?.isMore === false && candidates.people.every((each) => each.notified_at !== undefined);

function NoneLeft({ close }: Pick<ChoosePeopleProps, 'close'>) {
  return (
    <div className={classes['candidates']}>
      <h2 id="help-title">{text.helpTitle}</h2>
      <p role="status">{text.helpNoneLeft}</p>
      <div className={classes['buttons']}>
        <Button autoFocus isSecondary onClick={close}>
          {text.close}
        </Button>
      </div>
    </div>
  );
}
