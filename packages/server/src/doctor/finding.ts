export interface Finding {
  /** `info` is neither good nor bad: something that is not there and need not be. */
  status: 'ok' | 'info' | 'warn' | 'fail'
  name: string
  /** What was found, or tried. */
  text: string
  fix?: string
}

/** What throws is a finding. */
export function attempt<T extends object>(name: string, work: () => T): T | Finding {
  try {
    return work()
  } catch (error) {
    return { status: 'fail', name, text: (error as Error).message }
  }
}
