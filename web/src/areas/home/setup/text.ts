/** English texts of the setup. */
import { someText } from '../../../shared/text/numbers.ts';

export type StepKey = 'agent' | 'request' | 'people' | 'rule' | 'path' | 'factor' | 'channel';

export const setup = {
  title: 'Set up Countersign',
  intro: 'The first steps of most teams. Do them in any order, or skip them.',
  allDone: 'All of it is done.',
  newHere: 'New here? See one request go from a call to a decision.',
  tryDemo: 'Try it with a demo agent',
  progress: (done: number, all: number) => `${done} of ${someText(all, 'step', 'steps')} done`,
  hide: 'Hide setup',
  finish: 'Finish setup',
  isDone: 'done',
  steps: {
    agent: {
      title: 'Connect an agent',
      why: 'An agent is the program whose calls are reviewed, such as a support bot.',
    },
    request: {
      title: 'See a request decided',
      why: 'When your agent asks for approval, its request appears in your list. Approve or deny it.',
    },
    people: {
      title: 'Invite people',
      why: 'Requests are more often decided in time when several people can decide them.',
    },
    rule: {
      title: 'Write a rule',
      why: 'Rules decide at once when no one needs to look.',
    },
    path: {
      title: 'Choose who is asked',
      why: 'Requests go to everyone until an escalation path says who is asked first.',
    },
    factor: {
      title: 'Turn on a second factor',
      why: 'With a second factor, a stolen password is not enough to approve a call.',
    },
    channel: {
      title: 'Connect mail or Slack',
      why: 'People are then notified of requests wherever they are.',
    },
  },
  go: {
    agent: 'Go to agents',
    request: 'Go to requests',
    people: 'Go to invitations',
    rule: 'Go to rules',
    path: 'Go to escalation paths',
    factor: 'Go to security',
    channel: 'Go to channels',
  },
} as const;
