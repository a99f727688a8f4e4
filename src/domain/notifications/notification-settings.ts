/** What a person chose to be notified of. */

export interface NotificationSettings {
  readonly email: boolean;
  readonly slack: boolean;
  readonly push: boolean;
}
