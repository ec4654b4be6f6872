// What the page asks for first is asked while its scripts are still on their way. See src/api/early-fetch.ts.
{
  const fields = new URLSearchParams(location.hash.slice(1))
  const sessionId = fields.get('s')
  const paths = ['/ai/sessions?view=active&folder=none']
  if (sessionId !== null) paths.push(`/ai/sessions/${encodeURIComponent(sessionId)}/messages?limit=60`)
  // With a key in the address there is no cookie yet.
  if (!fields.has('k')) {
    window.early = Object.fromEntries(
      paths.map((path) => {
        const answer = fetch(path, { credentials: 'same-origin', cache: 'no-store' })
        answer.catch(() => undefined)
        return [path, answer]
      }),
    )
  }
}
