import { useImperativeHandle, useLayoutEffect, useRef } from 'react'
import type { ComponentProps, Ref } from 'react'

/** A field that is as high as its text; its CSS says how high at most. */
export function GrowingTextarea({ ref, ...props }: ComponentProps<'textarea'> & { ref?: Ref<HTMLTextAreaElement> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useImperativeHandle(ref, () => field.current as HTMLTextAreaElement)
  useLayoutEffect(() => {
    const { current } = field
    if (current === null) return
    current.style.height = 'auto'
    current.style.height = `${current.scrollHeight}px`
  }, [props.value])
  return <textarea ref={field} rows={1} {...props} />
}
