#!/usr/bin/env node
/** The program of the package: `main.js` next to it, on a Node that is new enough. */
'use strict'

const { join } = require('node:path')

process.argv.splice(2, 0, join(__dirname, 'main.js'))
require('../runtime/launch.cjs')
