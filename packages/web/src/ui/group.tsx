import type { ComponentProps } from 'react'

/** Something with a name that a page may have many of. A section with a name would be a landmark, and those are few. */
export function Group({ label, ...rest }: Omit<ComponentProps<'div'>, 'role' | 'aria-label'> & { label: string }) {
  // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
  return <div role="group" aria-label={label} {...rest} />
}
