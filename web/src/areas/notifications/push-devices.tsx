/** The browsers of a person that get push messages, and whether this one does. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { Instant } from '../../shared/design/instant.tsx';
import { Item, Items } from '../../shared/design/lists/items.tsx';
import { Panel } from '../../shared/design/panel.tsx';
import { Result } from '../../shared/design/result.tsx';
import { Failed, Loading } from '../../shared/page/states.tsx';
import { push as text } from './push-text.ts';
import { deviceText } from '../../shared/text/user-agents.ts';
import {
  devicesQuery,
  obstacle,
  pushKeyQuery,
  removeDevice,
  subscribe,
  testDevice,
  type Device,
} from './push.ts';
import classes from './push-devices.module.css';

export function PushDevices() {
  const key = useQuery(pushKeyQuery);
  const devices = useQuery(devicesQuery);
  if (key.isPending || devices.isPending) return <Loading />;
  if (key.isError) return <Failed error={key.error} reset={() => void key.refetch()} />;
  if (devices.isError) return <Failed error={devices.error} reset={() => void devices.refetch()} />;
  return (
    <Panel title={text.title} hint={text.hint}>
      {key.data === null ? (
        <p>{text.notConfigured}</p>
      ) : (
        <Devices devices={devices.data} publicKey={key.data} />
      )}
    </Panel>
  );
}

function useDeviceActions(onSaid: () => void) {
  const queries = useQueryClient();
  const [said, setSaid] = useState('');
  const [hindrance, setHindrance] = useState(obstacle);
  const say = async (next: string) => {
    setHindrance(obstacle());
    setSaid(next);
    await queries.invalidateQueries({ queryKey: devicesQuery.queryKey });
    onSaid();
  };
  const add = useMutation({
    mutationFn: subscribe,
    onSuccess: async (isAllowed) => {
      await say(isAllowed ? text.added : text.notAllowed);
    },
  });
  const test = useMutation({
    mutationFn: testDevice,
    onSuccess: async ({ delivered }) => {
      await say(delivered ? text.tested : text.testFailed);
    },
  });
  const remove = useMutation({
    mutationFn: removeDevice,
    onSuccess: async () => {
      await say(text.removed);
    },
  });
  const isBusy = add.isPending || test.isPending || remove.isPending;
  /** One at a time: each says what came of it in the same place. */
  const start =
    <Variables,>(action: { readonly mutate: (variables: Variables) => void }) =>
    (variables: Variables) => {
      if (isBusy) return;
      for (const each of [add, test, remove]) each.reset();
      setSaid('');
      action.mutate(variables);
    };
  return {
    said,
    hindrance,
    error: add.error ?? test.error ?? remove.error,
    isBusy,
    isAdding: add.isPending,
    add: start(add),
    test: start(test),
    remove: start(remove),
  };
}

function Devices({
  devices,
  publicKey,
}: {
  readonly devices: readonly Device[];
  readonly publicKey: string;
}) {
  const result = useRef<HTMLParagraphElement>(null);
  const actions = useDeviceActions(() => result.current?.focus());
  return (
    <>
      <Result ref={result} text={actions.said} error={actions.error} />
      {devices.length > 0 && (
        <Items>
          {devices.map((device) => (
            <DeviceRow
              key={device.id}
              device={device}
              isBusy={actions.isBusy}
              onTest={() => {
                actions.test(device);
              }}
              onRemove={() => {
                actions.remove(device);
              }}
            />
          ))}
        </Items>
      )}
      {devices.some(({ current }) => current) ? null : (
        <ThisBrowser
          hindrance={actions.hindrance}
          isBusy={actions.isAdding}
          onAdd={() => {
            actions.add(publicKey);
          }}
        />
      )}
    </>
  );
}

function ThisBrowser({
  hindrance,
  isBusy,
  onAdd,
}: {
  readonly hindrance: ReturnType<typeof obstacle>;
  readonly isBusy: boolean;
  readonly onAdd: () => void;
}) {
  if (hindrance !== undefined) return <p>{text.obstacles[hindrance]}</p>;
  return (
    <Button className={classes['add'] ?? ''} aria-disabled={isBusy} onClick={onAdd}>
      {isBusy ? text.adding : text.add}
    </Button>
  );
}

function DeviceRow({
  device,
  isBusy,
  onTest,
  onRemove,
}: {
  readonly device: Device;
  readonly isBusy: boolean;
  readonly onTest: () => void;
  readonly onRemove: () => void;
}) {
  const name = deviceText(device.user_agent);
  return (
    <Item
      name={name}
      current={device.current ? text.thisBrowser : undefined}
      actions={
        <>
          <Button
            isSecondary
            aria-label={text.testOf(name)}
            aria-disabled={isBusy}
            onClick={onTest}
          >
            {text.test}
          </Button>
          <Button
            isSecondary
            aria-label={text.removeOf(name)}
            aria-disabled={isBusy}
            onClick={onRemove}
          >
            {text.remove}
          </Button>
        </>
      }
    >
      <p>
        {text.since} <Instant at={device.created_at} as="clock" /> · {text.by}{' '}
        <bdi>{device.push_service}</bdi>
      </p>
    </Item>
  );
}
