/** The sign of the house: one who leads, and those who work along. */
export function Logo() {
  return (
    <svg className="mark-sign" viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" rx="9" className="mark-ground" />
      <circle cx="16" cy="11.5" r="4.6" />
      <circle cx="9" cy="21.5" r="3.1" opacity=".72" />
      <circle cx="23" cy="21.5" r="3.1" opacity=".72" />
      <circle cx="16" cy="23" r="2.2" opacity=".45" />
    </svg>
  )
}
