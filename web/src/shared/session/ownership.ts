/** Whether someone owns the organization: then they may do everything. */
interface Holder {
  readonly assignments: readonly { readonly is_owner: boolean }[];
}

export const isOwner = ({ assignments }: Holder): boolean =>
  assignments.some(({ is_owner: owns }) => owns);
