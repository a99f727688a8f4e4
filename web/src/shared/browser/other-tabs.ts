/** Whether another tab of this browser has the same document open. */
import { useEffect, useState } from 'react';

interface Word {
  readonly document: string;
  readonly tab: string;
  readonly says: 'opened' | 'here' | 'closed';
}

/** `document`: its name, which has the person in it. */
export function useOtherTab(document: string): boolean {
  const [others, setOthers] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const tab = crypto.getRandomValues(new Uint32Array(2)).join('-');
    const channel = new BroadcastChannel('countersign-documents');
    const say = (says: Word['says']) => {
      channel.postMessage({ document, tab, says } satisfies Word);
    };
    channel.onmessage = ({ data }: MessageEvent<Word>) => {
      if (data.document !== document) return;
      setOthers((before) => {
        const after = new Set(before);
        if (data.says === 'closed') after.delete(data.tab);
        else after.add(data.tab);
        return after;
      });
      if (data.says === 'opened') say('here');
    };
    const leave = () => {
      say('closed');
    };
    say('opened');
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
      channel.close();
      setOthers(new Set());
    };
  }, [document]);
  return others.size > 0;
}
