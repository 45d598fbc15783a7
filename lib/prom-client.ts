/** The parts of prom-client that are used: all of it would also load Node's `cluster`. */
/// <reference path="./prom-client-parts.d.ts" />
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Histogram from 'prom-client/lib/histogram.js'
import Registry from 'prom-client/lib/registry.js'

export { Counter, Gauge, Histogram, Registry }
