import Foundation
import Model
import SampleFacts
import Testing
import VirtualBuilding

/// Shows the panel in a terminal emulator, which gives the screen after each redraw and each change of size.
@Suite("the panel fits a terminal emulator", .timeLimit(.minutes(60)))
struct TmuxTests {
  /// A terminal of tmux(1), on its own server.
  private struct Terminal {
    let site: Site
    private let socket: String

    init(_ site: Site, columns: Int, lines: Int, bus: String, _ command: [String]) async throws {
      self.site = site
      socket = site.directory.appending(path: "tmux").path
      // Without a trap, a shell such as dash ends when the key ends the program that it waits for.
      let line =
        "trap : INT; \(Invocation.program.path) \(command.joined(separator: " ")); echo status $?; sleep 600"
      try await tmux([
        "new-session", "-d", "-x", "\(columns)", "-y", "\(lines)", "-e", "DBUS_SYSTEM_BUS_ADDRESS=\(bus)",
        "-c",
        site.directory.path, line,
      ])
      try await tmux(["set-option", "-g", "window-size", "manual"])
    }

    @discardableResult
    func tmux(_ arguments: [String]) async throws -> String {
      // The server outlives the command; an inherited descriptor would keep Foundation waiting for the end of
      // the command.
      let alone = """
        for file in /proc/self/fd/*; do number=${file##*/}; [ "$number" -gt 2 ] && eval "exec $number>&-"; done; exec tmux "$@"
        """
      let outcome = try await site.runTool(
        ["bash", "-c", alone, "bash", "-S", socket, "-f", "/dev/null"] + arguments
      )
      try #require(outcome.status == 0, "\(outcome)")
      return outcome.output
    }

    /// The lines on the screen, without empty lines.
    func screen(history: Bool = false) async throws -> [String] {
      try await tmux(["capture-pane", "-p"] + (history ? ["-S", "-500"] : [])).split(separator: "\n").map(
        String.init)
    }

    func until(_ what: String, _ isMet: ([String]) -> Bool) async throws -> [String] {
      let end = SuspendingClock.now + Invocation.timeout
      while true {
        let lines = try await screen()
        if isMet(lines) { return lines }
        guard SuspendingClock.now < end else {
          throw Invocation.WaitTimedOut(what: what, written: lines.joined(separator: "\n"))
        }
        try await Task.sleep(for: .milliseconds(50))
      }
    }

    /// Changes the size while the program is stopped. A frame for the old width that the terminal reads after the change would
    /// leave lines behind.
    func resize(columns: Int, lines: Int) async throws {
      let shell = try await tmux(["display-message", "-p", "#{pane_pid}"]).trimmingCharacters(in: .newlines)
      let children = try String(contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
      let program = try #require(children.split(separator: " ").first.flatMap { Int32($0) })
      kill(program, SIGSTOP)
      defer { kill(program, SIGCONT) }
      var last = try await screen()
      while true {
        let next = try await screen()
        if next == last { break }
        last = next
      }
      try await tmux(["resize-window", "-x", "\(columns)", "-y", "\(lines)"])
    }

    func end() async { _ = try? await tmux(["kill-server"]) }
  }

  private static let rooms = 6

  private func withPanel(
    columns: Int, lines: Int, _ body: @escaping @Sendable (Terminal, ServedBuilding) async throws -> Void
  ) async throws {
    try await Site.use { site in
      try site.writeManifest((1...Self.rooms).map { .numbered($0) }, defaults: ["timeouts: { connect: 10m }"])
      // A sensor that never accepts a connection keeps the run active.
      let sensors =
        (1..<Self.rooms).map { ServedBuilding.sensor($0) } + [
          ServedBuilding.sensor(Self.rooms, .neverAnswers)
        ]
      try await ServedBuilding.serve(sensors) { building in
        let terminal = try await Terminal(
          site, columns: columns, lines: lines, bus: building.bus,
          ["apply", "building.yaml", "--scan-time", "1"])
        do {
          try await body(terminal, building)
        } catch {
          await terminal.end()
          throw error
        }
        await terminal.end()
      }
    }
  }

  /// The panel appears once, and no line is wider than the terminal.
  private func expectPanel(_ lines: [String], columns: Int) {
    #expect(lines.count { $0.hasPrefix("Harbour") } == 1, "\(lines)")
    #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
  }

  @Test(
    "the panel appears once and in its place, also after the terminal changed size",
    arguments: [(40, 20), (80, 24), (200, 50)])
  func sizes(_ size: (columns: Int, lines: Int)) async throws {
    try await withPanel(columns: size.columns, lines: size.lines) { terminal, _ in
      let isDone = { @Sendable (lines: [String]) in
        lines.contains { $0.contains("5/6 done") } && lines.contains { $0.hasPrefix("  Room 106") }
      }
      expectPanel(try await terminal.until("the panel", isDone), columns: size.columns)
      try await terminal.resize(columns: 60, lines: 20)
      expectPanel(
        try await terminal.until("the panel at 60 columns") {
          $0.last?.contains("Ctrl-C stop") == true && isDone($0)
        }, columns: 60)
      try await terminal.resize(columns: 120, lines: 30)
      _ = try await terminal.until("the panel at 120 columns", isDone)
    }
  }

  @Test(
    "the panel shows that the run stops, and ends with the counts and the next command")
  func stopping() async throws {
    try await withPanel(columns: 80, lines: 24) { terminal, _ in
      _ = try await terminal.until("the panel") { $0.contains { $0.contains("5/6 done") } }
      try await terminal.tmux(["send-keys", "p"])
      _ = try await terminal.until("the pause") { $0.contains { $0.hasPrefix("Paused: nothing new starts") } }
      try await terminal.tmux(["send-keys", "p"])
      try await terminal.tmux(["send-keys", "C-c"])
      let lines = try await terminal.until("its end") { $0.contains("status 130") }
      #expect(lines.contains { $0.hasPrefix("5 of 6 rooms done") }, "\(lines)")
      #expect(lines.suffix(2) == ["Next: roboprov apply building.yaml", "status 130"], "\(lines)")
      let all = try await terminal.screen(history: true)
      #expect(!all.contains { $0.contains("Ctrl-C stop") }, "the panel is erased\n\(all)")
      for room in 101...105 { #expect(all.count { $0.hasPrefix("✓ Room \(room)") } == 1, "\(all)") }
    }
  }
}
