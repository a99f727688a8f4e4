/** Views of one page, one at a time. Views with paths of their own are `LinkTabs`. */
import { Tabs as MantineTabs } from '@mantine/core';
import type { ReactNode } from 'react';
import '@mantine/core/styles/Tabs.layer.css';
import classes from './tabs.module.css';

export interface Tab<Key extends string> {
  readonly key: Key;
  readonly label: string;
  /** Beside the label, such as how many there are. */
  readonly mark?: ReactNode;
  readonly content: ReactNode;
}

interface TabsProps<Key extends string> {
  /** What the tabs are about, for screen readers. */
  readonly label: string;
  readonly tabs: readonly Tab<Key>[];
  readonly open: Key;
  readonly onOpen: (key: Key) => void;
}

export function Tabs<Key extends string>({ label, tabs, open, onOpen }: TabsProps<Key>) {
  return (
    <MantineTabs
      value={open}
      keepMounted={false}
      classNames={{
        list: classes['tabs'] ?? '',
        tab: classes['tab'] ?? '',
        panel: classes['panel'] ?? '',
      }}
      onChange={(key) => {
        if (key !== null) onOpen(key as Key);
      }}
    >
      <MantineTabs.List aria-label={label}>
        {tabs.map(({ key, label: tab, mark }) => (
          <MantineTabs.Tab key={key} value={key}>
            {tab} {mark}
          </MantineTabs.Tab>
        ))}
      </MantineTabs.List>
      {tabs.map(({ key, content }) => (
        <MantineTabs.Panel key={key} value={key}>
          {content}
        </MantineTabs.Panel>
      ))}
    </MantineTabs>
  );
}
