/** Why people are asked, who was asked, who is next, and who may decide. */
import { useQuery } from '@tanstack/react-query';
import { Instant } from '../../../shared/design/instant.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { requests as text } from '../../../shared/text/requests.ts';
import { AskForHelp } from './ask-for-help.tsx';
import { ClaimControl } from './claim-control.tsx';
import { routingQuery, type RequestDetail, type Routing } from '../requests-data.ts';
import classes from './people-section.module.css';

type Level = Routing['levels'][number];

export function PeopleSection({ request }: { readonly request: RequestDetail }) {
  const { data: routing } = useQuery(routingQuery(request));
  return (
    <section className={classes['people']}>
      <h2>{text.people}</h2>
      {/* What is loaded later comes below, so that the button stays in its place. */}
      <ClaimControl request={request} />
      {routing && <Why routing={routing} request={request} />}
      {routing && (
        <ol className={classes['levels']}>
          {routing.levels.map((level, index) => (
            <LevelItem
              key={`${level.run} ${level.node_id}`}
              level={level}
              number={index + 1}
              deadline={request.deadline_at}
            />
          ))}
          {routing.added.length > 0 && (
            <li className={classes['level']}>
              <p className={classes['name']}>{text.added}</p>
              <ul>
                {routing.added.map(({ membership_id: id, display_name: name }) => (
                  <li key={id}>
                    <ForeignText text={name} />
                  </li>
                ))}
              </ul>
            </li>
          )}
        </ol>
      )}
      {request.can_add_reviewers && <AskForHelp request={request} />}
    </section>
  );
}

interface WhyProps {
  readonly routing: Routing;
  readonly request: RequestDetail;
}

function Why({ routing, request }: WhyProps) {
  const { state, reason, path_name: path, next_step: next } = routing;
  const isClaimed = request.claim !== undefined;
  const late = tooLate(routing, request.deadline_at);
  return (
    <div className={classes['why']}>
      {reason !== undefined && (
        <p>
          <ForeignText text={reason} />
        </p>
      )}
      <p className={classes['hint']}>
        {path !== undefined && (
          <>
            {text.whyPath}: <ForeignText text={path} />.{' '}
          </>
        )}
        {/* The claim says by itself who holds it. */}
        {!(state === 'paused' && isClaimed) &&
          (state === 'exhausted' && isUnasked(routing) ? noOne(routing) : text.routing[state])}
      </p>
      {late && <p>{late}</p>}
      {next?.at !== undefined && !isAfter(next.at, request.deadline_at) && (
        <p className={classes['hint']}>
          {text.nextStep[next.kind]} <Instant at={next.at} as="in" />
        </p>
      )}
    </div>
  );
}

const isUnasked = ({ levels, added }: Routing): boolean =>
  added.length === 0 && levels.every((level) => level.notified_at === undefined);

const noOne = ({ levels }: Routing): string =>
  levels.some(({ status }) => status === 'unreached') ? text.noOneReached : text.noOneAsked;

const isAfter = (at: string, deadline: string): boolean => Date.parse(at) >= Date.parse(deadline);

/** Says that the next step comes after the deadline, where people would be asked only then. */
function tooLate(routing: Routing, deadline: string): string | undefined {
  const { next_step: next } = routing;
  if (next?.at === undefined || !isAfter(next.at, deadline)) return undefined;
  if (isUnasked(routing)) return text.afterDeadline.first;
  return next.kind === 'exhausted' ? undefined : text.afterDeadline.next;
}

interface LevelItemProps {
  readonly level: Level;
  readonly number: number;
  readonly deadline: string;
}

function LevelItem({ level, number, deadline }: LevelItemProps) {
  const { planned_at: planned } = level;
  const isTooLate = planned !== undefined && isAfter(planned, deadline);
  return (
    <li className={classes['level']} data-status={level.status}>
      <p className={classes['name']}>
        {text.level(number)}{' '}
        <span className={classes['hint']}>
          {isTooLate ? text.levelTooLate : text.levelStatus[level.status]}
        </span>{' '}
        {planned !== undefined && !isTooLate && (
          <span className={classes['hint']}>
            <Instant at={planned} as="clock" />
          </span>
        )}
        {level.notified_at !== undefined && (
          <span className={classes['hint']}>
            <Instant at={level.notified_at} as="clock" />
          </span>
        )}
      </p>
      <ul>
        {level.targets.map((target, index) => (
          <li key={target.id ?? index}>
            {target.type !== 'user' && (
              <p>
                {target.name === undefined ? text.everyone : <ForeignText text={target.name} />}
              </p>
            )}
            <ul className={target.type === 'user' ? undefined : classes['members']}>
              {target.members.map((member) => (
                <li key={member.membership_id}>
                  <ForeignText text={member.display_name} />
                  {!member.can_decide && (
                    <span className={classes['hint']}> {text.mayNotDecide}</span>
                  )}
                  {member.unreached && (
                    <span className={classes['hint']}>
                      {' '}
                      {text.couldNotBeReached}{' '}
                      {member.unreached.map(({ problem }) => problem).join('; ')}
                    </span>
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </li>
  );
}
