/** The organization's rules above those of an agent: read here, changed on their own page. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type CSSProperties } from 'react';
import { stringifyExact } from '../../../../../src/platform/json/exact-json.ts';
import { isExactObject, type ExactValue } from '../../../../../src/platform/json/exact-values.ts';
import { Badge } from '../../../shared/design/marks/badge.tsx';
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { readDocument } from '../../../shared/editor/problems.ts';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { PartFailed } from '../../../shared/page/states.tsx';
import { accountQuery, hasPermissionFor } from '../../../shared/session/session.ts';
import { decidesAll, ruleRows, type RuleRow } from '../document/rule-rows.ts';
import { activeQuery } from '../rules-data.ts';
import { rules as text } from '../text.ts';
import { Closed, EndOfBranch } from './rule-card.tsx';
import { nameOf } from './rule-names.ts';
import classes from './rule-card.module.css';

/** More of them would push an agent's own rules out of sight. */
const FIRST_ROWS = 8;
const MOST_ROWS = 200;

export function OrganizationRules() {
  const { data: account } = useQuery(accountQuery);
  const mayRead = account !== undefined && hasPermissionFor(account, 'pipeline.read', undefined);
  const active = useQuery({ ...activeQuery({}), enabled: mayRead });
  if (!account) return null;
  return (
    <section className={classes['others']} aria-labelledby="organization-rules">
      <header className={classes['head']}>
        <h2 id="organization-rules" className={classes['name']}>
          {text.askedFirst}
        </h2>
        {mayRead && <Link to="/rules">{text.editOrganization}</Link>}
      </header>
      {!mayRead && <p className={classes['reason']}>{text.organizationUnread}</p>}
      {active.isError && <PartFailed part={active} />}
      {active.data && <Rows source={active.data.text} />}
    </section>
  );
}

function Rows({ source }: { readonly source: string }) {
  const { value } = useMemo(() => readDocument(source), [source]);
  const rows = useMemo(() => (value === undefined ? [] : ruleRows(value)), [value]);
  const [isWhole, setWhole] = useState(false);
  const shown = rows.slice(0, isWhole ? MOST_ROWS : FIRST_ROWS);
  const last = decider(value);
  if (rows.length === 0) return <p className={classes['reason']}>{text.organizationEmpty}</p>;
  return (
    <>
      {shown.map((row) => (
        <Row key={`${row.kind} ${row.pointer}`} row={row} />
      ))}
      {!isWhole && rows.length > FIRST_ROWS && (
        <p>
          <LinkButton
            onClick={() => {
              setWhole(true);
            }}
          >
            {text.showAll(rows.filter(({ kind }) => kind === 'block').length)}
          </LinkButton>
        </p>
      )}
      {isWhole && rows.length > MOST_ROWS && <p className={classes['reason']}>{text.moreThere}</p>}
      {last !== undefined && (
        <p className={classes['warning']}>
          <ForeignText text={nameOf(last)} isName /> {text.decidesAll}
        </p>
      )}
    </>
  );
}

const decider = (document: ExactValue | undefined): ExactValue | undefined => {
  const blocks = isExactObject(document) ? document['blocks'] : undefined;
  return Array.isArray(blocks) ? blocks.find(decidesAll) : undefined;
};

function Row({ row }: { readonly row: RuleRow }) {
  const { value, depth } = row;
  const isOff = isExactObject(value) && value['enabled'] === false;
  return (
    <div
      className={classes[depth > 0 ? 'nested' : 'top']}
      style={{ '--depth': depth - 1 } as CSSProperties}
    >
      {row.kind === 'end' ? (
        <EndOfBranch block={value} />
      ) : (
        <article
          className={classes['card']}
          data-off={isOff || undefined}
          data-quiet
          aria-label={`${text.organization}, ${text.number(row.position + 1)}: ${nameOf(value)}`}
        >
          <header className={classes['head']}>
            <span className={classes['position']}>{row.position + 1}</span>
            <h3 className={classes['name']}>
              <ForeignText text={nameOf(value)} isName />
            </h3>
            {isOff && <Badge>{text.off}</Badge>}
          </header>
          <Closed source={stringifyExact(value)} row={row} />
        </article>
      )}
    </div>
  );
}
