/** Names the permission that someone lacks. It is loaded where that happens, because the texts of all permissions are long. */
import { permissionText } from '../text/permissions.ts';
import { session } from '../text/session.ts';

export function PermissionReason({ permission }: { readonly permission: string }) {
  return session.missingPermission(permissionText(permission));
}
