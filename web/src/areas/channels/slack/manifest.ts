/** What Slack makes the app of: its manifest, as Slack defines it. Pure. */
import type { SlackApp } from './slack-data.ts';

export function manifestOf(app: SlackApp): string {
  const manifest = {
    display_information: {
      name: 'Countersign',
      description: 'Approve or deny what AI agents want to do.',
    },
    features: {
      app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: true },
      bot_user: { display_name: 'Countersign', always_online: true },
      slash_commands: [
        {
          command: app.command,
          url: app.command_url,
          description: 'Link your Slack user to Countersign.',
          usage_hint: 'link CODE | unlink | help',
          should_escape: false,
        },
      ],
    },
    oauth_config: { scopes: { bot: app.bot_scopes } },
    settings: {
      interactivity: { is_enabled: true, request_url: app.interactivity_url },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  };
  return JSON.stringify(manifest, undefined, 2);
}

/** Slack's page for a new app, filled in. */
export const newAppUrl = (manifest: string): string =>
  `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(manifest)}`;

/** Slack calls no other. */
export const canBeCalled = ({ command_url: url }: SlackApp): boolean => url.startsWith('https:');
