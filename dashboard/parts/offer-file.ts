/** Milliseconds after which the browser has surely copied the file, so that its memory can be freed. */
const takenOver = 60_000

/** Gives a file to the browser as a download. */
export function offerFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), takenOver)
}
