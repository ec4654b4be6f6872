import type { ComponentProps } from 'react'
import './button.css'

export function Button({
  kind = 'plain',
  className = '',
  ...rest
}: ComponentProps<'button'> & { kind?: 'plain' | 'primary' | 'danger' | 'quiet' }) {
  return <button type="button" className={`button button-${kind} ${className}`} {...rest} />
}
