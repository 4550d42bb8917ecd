import Bluetooth
import EventLoop
import Foundation
import Model
import Reporting

/// Shows a run as it goes on, on stderr: on a terminal a few lines that are drawn over and over, elsewhere a
/// line for each turn of events.
actor LiveProgress {
  /// How often the lines are drawn again while nothing happens: a person wants to see the seconds pass.
  private static let pace = Duration.milliseconds(250)

  private let screen = Screen.standardError
  private let clock: any TimeSource
  private let start: MonotonicInstant
  private var view = ProgressView()
  private var drawn = 0
  private var isPaused = false

  init(clock: any TimeSource) {
    self.clock = clock
    start = clock.now
  }

  private var style: TerminalStyle { TerminalStyle(width: screen.width, hasColor: screen.hasColor) }

  /// Shows an event.
  func show(_ event: RunEvent) {
    view.apply(event)
    if screen.isTerminal {
      draw(above: view.finished(event, style: style))
    } else {
      for line in view.plain(event) { Console.say(line) }
    }
  }

  /// Keeps the lines moving while `body` runs, and leaves the terminal in order after it.
  func running<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
    await withTaskGroup(of: Void.self) { group in
      if screen.isTerminal { group.addTask { await self.keepDrawing() } }
      let result = await body()
      group.cancelAll()
      await group.waitForAll()
      erase()
      return result
    }
  }

  /// Leaves the terminal to `body` for a while.
  func pausing<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
    erase()
    isPaused = true
    let result = await body()
    isPaused = false
    return result
  }

  private func keepDrawing() async {
    let pace = SystemClock()
    while (try? await pace.sleep(for: Self.pace)) != nil { draw(above: []) }
  }

  /// Lines that stay, and the live ones below them, in one write: nobody sees half of it.
  private func draw(above lines: [String]) {
    if isPaused {
      for line in lines { Console.say(line) }
      return
    }
    let live = view.live(at: start.duration(to: clock.now), style: style)
    let text = (lines + live).map { "\u{1B}[2K" + $0 + "\n" }.joined()
    Console.write("\u{1B}[?2026h" + up + "\u{1B}[J" + text + "\u{1B}[?2026l", to: .standardError)
    drawn = live.count
  }

  private func erase() {
    guard drawn > 0 else { return }
    Console.write(up + "\u{1B}[J", to: .standardError)
    drawn = 0
  }

  private var up: String { drawn > 0 ? "\u{1B}[\(drawn)F" : "" }
}
