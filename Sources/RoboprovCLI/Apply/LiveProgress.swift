import Application
import Bluetooth
@preconcurrency import Dispatch
import EventLoop
import FoundationEssentials
import Glibc
import Host
import Journal
import Model
import Reporting
import Synchronization

/// Shows the progress of a run: on a terminal a panel that is redrawn, elsewhere one line for each relevant
/// event. With `--output json` it also writes the events to stdout. It has the screen to itself during the
/// run.
///
/// It has its own thread: a slow or stopped (Ctrl-S) terminal does not delay the run, except in virtual time.
actor LiveProgress: RunDisplay {
  struct Options: Sendable {
    var detail = ProgressView.Detail.normal
    /// Whether each event goes to stdout, one JSON object per line.
    var writesEvents = false
    /// Whether to print no line for an outcome, because the caller prints it.
    var hidesEndings = false
    /// Whether keys pause the run and show help.
    var takesKeys = true
  }

  /// The redraw interval without events, so that elapsed times advance.
  private static let pace = Duration.milliseconds(250)
  /// Events within this time are shown together: at most 10 redraws a second.
  private static let rest = Duration.milliseconds(100)

  private let screen = Screen.standardError
  private let options: Options
  private let isLive: Bool
  private let clock: any TimeSource
  private let start: MonotonicInstant
  private let thread = LoopExecutor.forBlockingWork()
  private let surroundings = Surroundings.current
  /// Events to be shown. It grows only while the terminal is stopped.
  private let waiting = Mutex<[RunEvent]>([])
  private let ask: @Sendable (OperatorRequested.Request) -> Void

  private var view = ProgressView()
  private var journalLines = JournalLines()
  private var panel = LiveLines()
  private var drawnAt: SuspendingClock.Instant?
  private var isPaused = false
  private var redraw: LoopTimer?
  private var resized: (any DispatchSourceSignal)?
  private var keys: KeyReader?

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Parameter ask: Receives the operator's requests from keys.
  init(
    clock: any TimeSource, _ options: Options = Options(),
    ask: @escaping @Sendable (OperatorRequested.Request) -> Void = { _ in }
  ) {
    self.clock = clock
    self.options = options
    self.ask = ask
    start = clock.now
    let dataGoesThere = options.writesEvents && Screen.standardOutput.isTerminal
    isLive = screen.canRedraw && options.detail != .quiet && !dataGoesThere
  }

  /// Shows an event within 100 ms.
  nonisolated func show(_ event: RunEvent) {
    let isFirst = waiting.withLock { waiting in
      waiting.append(event)
      return waiting.count == 1
    }
    guard isFirst else { return }
    later(Self.rest) { $0.showWaiting() }
  }

  /// Shows that the run was asked to stop, even if the record cannot take the event yet.
  nonisolated func noteStop() {
    later(.zero) { progress in
      progress.view.noteStop()
      if progress.isLive {
        progress.draw(above: [])
      } else {
        progress.say(["Stopping: no new device starts, active devices finish (Ctrl-C again: immediately)"])
      }
    }
  }

  /// Calls `body` on the thread after a delay, in the surroundings of the command.
  @discardableResult
  private nonisolated func later(
    _ delay: Duration, _ body: @escaping @Sendable (isolated LiveProgress) -> Void
  ) -> LoopTimer {
    thread.schedule(after: delay) { [weak self] in
      guard let self else { return }
      Surroundings.$current.withValue(surroundings) { self.assumeIsolated(body) }
    }
  }

  /// Redraws the panel while `body` runs, and restores the terminal after it.
  func running<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
    if isLive {
      redrawLater()
      followResizes()
      takeKeys()
    }
    let result = await body()
    keys?.end()
    resized?.cancel()
    redraw?.cancel()
    redraw = nil
    showWaiting()
    erase()
    return result
  }

  /// Gives the terminal to `body` until it returns.
  func pausing<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
    showWaiting()
    erase()
    keys?.end()
    isPaused = true
    let result = await body()
    isPaused = false
    keys?.begin()
    return result
  }

  // MARK: Keys and sizes

  private func takeKeys() {
    guard options.takesKeys, KeyReader.isPossible else { return }
    let keys = KeyReader { [weak self] byte in
      self?.later(.zero) { $0.pressed(byte) }
    }
    keys.begin()
    self.keys = keys
    view.hasKeys = true
  }

  private func pressed(_ key: UInt8) {
    switch key {
    case UInt8(ascii: "p"), UInt8(ascii: "P"): ask(view.isPaused ? .resume : .pause)
    case UInt8(ascii: "?"), UInt8(ascii: "h"):
      view.isShowingHelp.toggle()
      draw(above: [])
    default: break
    }
  }

  private func followResizes() {
    let source = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: .global())
    source.setEventHandler { @Sendable [weak self] in
      self?.later(Self.rest) { $0.draw(above: []) }
    }
    source.resume()
    resized = source
  }

  // MARK: Drawing

  private func redrawLater() {
    redraw = later(Self.pace) { progress in
      guard progress.redraw != nil else { return }
      if progress.drawnAt.map({ .now - $0 >= Self.pace / 2 }) ?? true { progress.draw(above: []) }
      progress.redrawLater()
    }
  }

  private func showWaiting() {
    let events = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !events.isEmpty else { return }
    var lines: [String] = []
    var data = ""
    let style = screen.style
    for event in events {
      view.apply(event)
      if options.writesEvents { data += String(decoding: journalLines.line(event), as: UTF8.self) + "\n" }
      switch options.detail {
      case .verbose: lines += view.verbose(event)
      case .normal where options.hidesEndings: break
      case .normal where isLive: lines += view.finished(event, style: style)
      case .normal, .quiet: lines += view.plain(event, detail: options.detail)
      }
    }
    if isLive { draw(above: lines) } else { say(lines) }
    if !data.isEmpty { Console.data(data) }
  }

  /// Draws lines that stay, and the panel below them, in one write.
  private func draw(above lines: [String]) {
    guard isLive, !isPaused else { return say(lines) }
    let style = screen.style
    panel.draw(
      view.live(at: start.duration(to: clock.now), style: style), above: lines, width: style.width)
    drawnAt = .now
  }

  private func say(_ lines: [String]) {
    if !lines.isEmpty { Console.say(lines: lines) }
  }

  private func erase() { panel.erase(width: screen.width) }
}
