/** The state of channels, made from the results of messages. */
import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table channel_states (
      channel_id uuid not null constraint channel_states_channel_id_fkey references notification_channels,
      receiver uuid not null,
      state text not null constraint channel_states_state_check check (state in ('failing', 'broken')),
      cause text not null,
      since timestamptz(3) not null,
      constraint channel_states_pkey primary key (channel_id, receiver)
    );
    comment on table channel_states is
      'Channels that do not work. failing: messages are tried again; broken: the last one failed for good. Without a row a channel works.';
    comment on column channel_states.receiver is
      'The member whose messages fail, or the channel itself where the cause concerns everyone.';
    comment on column channel_states.since is 'When this cause first came up since the last success.';
    create index channel_states_receiver_idx on channel_states (receiver);
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table channel_states');
}
