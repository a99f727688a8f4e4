/**
 * The person this tab shows. All tabs of a browser share one session, so each change names them: the service refuses it
 * when someone else has signed in since.
 */
let shown: string | undefined;

/** `membershipId`: undefined while no one is known to be signed in. */
export function actAs(membershipId: string | undefined): void {
  shown = membershipId;
}

export const actingAs = (membershipId = shown): Readonly<Record<string, string>> =>
  membershipId === undefined ? {} : { 'Service-Acting-As': membershipId };
