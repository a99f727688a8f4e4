/** When a new key expires. */
import { useState } from 'react';
import { serverNow } from '../../../shared/api/clock.ts';
import { Field } from '../../../shared/design/fields/field.tsx';
import field from '../../../shared/design/fields/field.module.css';
import type { Option } from '../../../shared/design/fields/select.tsx';
import { SelectField } from '../../../shared/forms/form.tsx';
import { exactText } from '../../../shared/text/times.ts';
import { dateOf, expiryOf, firstLife, livesUnder, type Life } from '../expiries.ts';
import { issue as text } from '../text.ts';

/** `latest`: RFC 3339; undefined without a limit. */
export function useExpiry(latest: string | undefined) {
  const [life, setLife] = useState<Life>(() => firstLife(latest, serverNow()));
  const [date, setDate] = useState(() => dateOf(serverNow()));
  return {
    latest,
    life,
    setLife,
    date,
    setDate,
    expiresAt: (): string | undefined => expiryOf(life, { date, now: serverNow() }),
  };
}

export function ExpiryFields({ expiry }: { readonly expiry: ReturnType<typeof useExpiry> }) {
  const { latest, life, setLife, date, setDate } = expiry;
  const [now] = useState(serverNow);
  const options: readonly Option<Life>[] = [
    ...livesUnder(latest, now).map((days) => ({
      value: `${days}` as Life,
      label: text.days(days),
    })),
    { value: 'date', label: text.date },
    { value: 'latest', label: latest === undefined ? text.never : text.latest },
  ];
  return (
    <>
      <SelectField
        label={text.expiry}
        name="expires_at"
        options={options}
        value={life}
        {...(latest !== undefined && { description: `${text.limit} ${exactText(latest)}.` })}
        onChange={(chosen) => {
          setLife(chosen as Life);
        }}
      />
      {life === 'date' && (
        <Field label={text.dateLabel}>
          {(control) => (
            <input
              {...control}
              type="date"
              className={field['control']}
              min={dateOf(now)}
              max={latest === undefined ? undefined : dateOf(Date.parse(latest))}
              value={date}
              onChange={({ currentTarget }) => {
                setDate(currentTarget.value);
              }}
            />
          )}
        </Field>
      )}
    </>
  );
}
