import { useEffect, useState } from 'react'

/** Files that are dropped anywhere on the page. True while some are held over it. */
export function useFileDrop(onFiles: (files: Iterable<File>) => unknown): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      // Else the browser would leave the page and show the file.
      event.preventDefault()
      setOver(true)
    }
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      setOver(false)
      if (event.dataTransfer === null || event.dataTransfer.files.length === 0) return
      event.preventDefault()
      onFiles(event.dataTransfer.files)
    }
    document.addEventListener('dragover', onOver)
    document.addEventListener('dragleave', onLeave)
    document.addEventListener('drop', onDrop)
    return () => {
      document.removeEventListener('dragover', onOver)
      document.removeEventListener('dragleave', onLeave)
      document.removeEventListener('drop', onDrop)
    }
  }, [onFiles])
  return isOver
}
