const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text for any place of HTML that is not a script or a style. Characters that no document may hold are shown as such. */
export function escapeHtml(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/[&<>"']/g, (sign) => signs[sign] ?? '')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g, '\ufffd')
  )
}
