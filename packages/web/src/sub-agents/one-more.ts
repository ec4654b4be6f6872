/** One at a time: calls that come while it goes on are served by one more, after a pause. */
export function coalesceCalls(work: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let going: Promise<void> | undefined
  let wanted: Promise<void> | undefined
  return call

  function call(): Promise<void> {
    if (going === undefined) {
      going = work().finally(() => void (going = undefined))
      return going
    }
    wanted ??= going
      .then(() => wait(pauseMs))
      .then(() => {
        wanted = undefined
        return call()
      })
    return wanted
  }
}

export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}
