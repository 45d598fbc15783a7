/** prom-client in the Worker (`[alias]` in wrangler.toml): without what measures a process, a cluster or summaries. */
'use strict'

exports.Registry = require('../../node_modules/prom-client/lib/registry.js')
exports.Counter = require('../../node_modules/prom-client/lib/counter.js')
exports.Gauge = require('../../node_modules/prom-client/lib/gauge.js')
exports.Histogram = require('../../node_modules/prom-client/lib/histogram.js')
