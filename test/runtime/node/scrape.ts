/** A reading of the metrics in the Prometheus text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export const samplesIn = (text: string): readonly Sample[] =>
  [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text]),
    ),
    value: Number(value?.replace('Inf', 'Infinity')),
  }))

/** Reads the metrics of a running process. @throws when it does not answer 200 */
export async function scrape(url: string, key: string): Promise<readonly Sample[]> {
  const answer = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${key}` } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`)
  return samplesIn(text)
}

/** @returns the value of one series, undefined when it is missing */
export const seriesValue = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined =>
  samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value
