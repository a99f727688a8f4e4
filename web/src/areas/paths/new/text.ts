/** English texts of creating an escalation path. */
export const create = {
  open: 'New path',
  title: 'New escalation path',
  name: 'Name',
  key: 'Key',
  keyHint: 'Rules refer to the path by its key. You cannot change it later.',
  starts: 'Start from',
  start: {
    team: 'Team, then everyone',
    office: 'Office hours, then on call',
    turns: 'Two people in turn',
  },
  startHint: {
    team: 'Asks a team first. After 30 min it asks everyone who may decide.',
    office:
      'Waits until the office opens, asks a team or person, and after 30 min everyone. Urgent requests do not wait.',
    turns: 'Asks one person, then another one after 15 min.',
  },
  first: { team: 'The team that is asked first', office: 'Who is asked first', turns: 'First' },
  second: 'Then',
  choose: 'Choose someone.',
  change: 'Choose someone else',
  zone: 'Time zone of the office',
  officeHours: 'Monday to Friday, 09:00 to 17:30. You can change them afterwards.',
  notActive: 'You can review and change it before it becomes active.',
  submit: 'Create',
  busy: 'Creating …',
  cancel: 'Cancel',
} as const;
