import { useCallback, useEffect, useState } from 'react'
import { toErrorInfo } from '../api/api-error.ts'

export interface ServerData<Value> {
  value: Value | null
  failure: string | null
  again: () => Promise<void>
}

/** What the server says, asked once and whenever somebody wants it again. `ask` must not change. */
export function useServerData<Value>(ask: () => Promise<Value>): ServerData<Value> {
  const [state, setState] = useState<{ value: Value | null; failure: string | null }>({ value: null, failure: null })
  const again = useCallback(
    () =>
      ask().then(
        (value) => setState({ value, failure: null }),
        (error: unknown) => setState(({ value }) => ({ value, failure: toErrorInfo(error).message })),
      ),
    [ask],
  )
  useEffect(() => void again(), [again])
  return { ...state, again }
}
