import Bluetooth
import EventLoop
import Foundation
import Model
import Reporting
import Synchronization

/// Shows a run as it goes on, on stderr: on a terminal a few lines that are drawn over and over, elsewhere a
/// line for each turn of events.
///
/// It has a thread of its own: a terminal may take its time, or be stopped by Ctrl-S, and the run goes on meanwhile.
actor LiveProgress {
  /// How often the lines are drawn again while nothing happens: a person wants to see the seconds pass.
  private static let pace = Duration.milliseconds(250)
  /// Events that follow each other sooner than this are shown together.
  private static let rest = Duration.milliseconds(100)

  private let screen = Screen.standardError
  private let clock: any TimeSource
  private let start: MonotonicInstant
  private let thread = LoopExecutor.startThread()
  /// Events that are still to be shown. Only a terminal that is stopped makes it grow.
  private let waiting = Mutex<[RunEvent]>([])

  private var view = ProgressView()
  private var drawn = 0
  private var isPaused = false
  private var redraw: LoopTimer?

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(clock: any TimeSource) {
    self.clock = clock
    start = clock.now
  }

  private var style: TerminalStyle { TerminalStyle(width: screen.width, hasColor: screen.hasColor) }

  /// Shows an event, soon.
  nonisolated func show(_ event: RunEvent) {
    let isFirst = waiting.withLock { waiting in
      waiting.append(event)
      return waiting.count == 1
    }
    guard isFirst else { return }
    _ = thread.schedule(after: Self.rest) { self.assumeIsolated { $0.showWaiting() } }
  }

  /// Keeps the lines moving while `body` runs, and leaves the terminal in order after it.
  func running<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
    if screen.isTerminal { redrawLater() }
    let result = await body()
    redraw?.cancel()
    redraw = nil
    showWaiting()
    erase()
    return result
  }

  /// Leaves the terminal to `body` for a while.
  func pausing<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
    showWaiting()
    erase()
    isPaused = true
    let result = await body()
    isPaused = false
    return result
  }

  private func redrawLater() {
    redraw = thread.schedule(after: Self.pace) { [weak self] in
      self?.assumeIsolated { progress in
        guard progress.redraw != nil else { return }
        progress.draw(above: [])
        progress.redrawLater()
      }
    }
  }

  private func showWaiting() {
    let events = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !events.isEmpty else { return }
    var lines: [String] = []
    for event in events {
      view.apply(event)
      lines += screen.isTerminal ? view.finished(event, style: style) : view.plain(event)
    }
    if screen.isTerminal { draw(above: lines) } else { say(lines) }
  }

  /// Lines that stay, and the live ones below them, in one write: nobody sees half of it.
  private func draw(above lines: [String]) {
    if isPaused { return say(lines) }
    let live = view.live(at: start.duration(to: clock.now), style: style)
    Console.draw(lines + live, after: "\u{1B}[?2026h" + up + "\u{1B}[J", before: "\u{1B}[?2026l")
    drawn = live.count
  }

  private func say(_ lines: [String]) {
    if !lines.isEmpty { Console.say(lines: lines) }
  }

  private func erase() {
    guard drawn > 0 else { return }
    Console.draw([], after: up + "\u{1B}[J")
    drawn = 0
  }

  private var up: String { drawn > 0 ? "\u{1B}[\(drawn)F" : "" }
}
