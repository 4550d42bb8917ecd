import Host
import SampleFacts
import DBus
import EventLoop
import Foundation
import Glibc
import Hex
import Application
import RoboprovCLI
import Synchronization
import Testing
import VirtualBuilding

/// A directory with a manifest and reports, and the processes that a test starts in it. All of it is removed
/// when the test ends.
final class Site: Sendable {
  /// The password of each manifest here: only sensors may receive it.
  static let password = "only-the-sensor-knows"
  /// The second password, for tests that change it; it is secret as well.
  static let newPassword = "known-since-this-year"
  /// The building's id.
  static let building = "harbour"

  /// The working directory of each process.
  let directory: URL
  private let processes = Mutex<[Invocation]>([])
  /// The time of day at the end of the last command in this process.
  private let lastEnd = Mutex(Date.distantPast)
  /// The computer of the commands in this process, and the fraction of a second at which each begins; nil as soon as a
  /// program was started: the present computer, and now.
  private let computer = Mutex<(identity: Surroundings.Computer, fraction: Double)?>(
    (.init(name: "laptop", randomBytes: SeededGenerator(seed: 1).bytes()), 0.25))
  /// When the first command on that computer begins.
  private static let firstStart = Date(timeIntervalSince1970: 1_795_392_000)

  private init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "roboprov-site-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  /// The sites at once. Their programs mostly wait, but each needs the processor now and then.
  private static let turns = Turns(12)

  /// Runs `body` at a new site, when it is this one's turn.
  static func use<Result>(_ body: (Site) async throws -> Result) async throws -> Result {
    await turns.take()
    do {
      let result = try await useNow(body)
      await turns.give()
      return result
    } catch {
      await turns.give()
      throw error
    }
  }

  /// Runs `body` at a new site with a manifest of these rooms.
  static func use<Result>(
    _ rooms: [Place], _ body: (Site) async throws -> Result
  ) async throws -> Result {
    try await use { site in
      try site.writeManifest(rooms)
      return try await body(site)
    }
  }

  private static func useNow<Result>(_ body: (Site) async throws -> Result) async throws -> Result {
    let site = try Site()
    do {
      let result = try await body(site)
      await site.leave()
      return result
    } catch {
      await site.leave()
      throw error
    }
  }

  private func leave() async {
    let processes = processes.withLock { $0 }
    for process in processes { process.send(SIGKILL) }
    for process in processes { _ = try? await process.ended() }
    try? FileManager.default.removeItem(at: directory)
  }

  // MARK: Files

  /// Writes a file with owner-only access.
  /// - Returns: its name.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String {
    let file = directory.appending(path: name)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    return name
  }

  /// Writes a shell script that other programs can start.
  func writeProgram(_ name: String, _ script: String) throws {
    let file = directory.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try write(name, "#!/bin/sh\n\(script)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
  }

  /// Writes a manifest with these rooms and their sensors; a room without a name is `Room <minor>`.
  /// - Parameter defaults: further lines for `defaults`.
  @discardableResult
  func writeManifest(
    _ rooms: [Place], defaults: [String] = ["retries: 0"], assign: String = "address",
    password: String = Site.password, adapters: String? = nil, slots: Int? = nil
  ) throws -> String {
    let described = adapters ?? slots.map { "hci0: { slots: \($0) }" }
    let adapters = described.map { "adapters: { \($0) }\n" } ?? ""
    let lines = rooms.map { room in
      let address = room.address.map { ", address: \"\($0)\"" } ?? ""
      return "  - { room: \(room.name ?? "Room \(room.minor)"), minor: \(room.minor)\(address) }"
    }
    return try write(
      "building.yaml",
      """
      building: Harbour House
      id: \(Self.building)
      \(adapters)wifi:
        guests: { ssid: Harbour Guests, password: \(password) }
      defaults:
        wifi: guests
      \(defaults.map { "  " + $0 }.joined(separator: "\n"))
      match: \(assign)
      rooms:
      \(lines.joined(separator: "\n"))

      """)
  }

  /// Creates a program for `DBusDaemon`: a bus with one more rule in its policy.
  /// - Returns: its path.
  func makeDaemon(withRule rule: String) throws -> String {
    // A link to a program: a newly written file cannot be executed while another thread starts processes.
    let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Interop/dbus-daemon-with-rule").standardizedFileURL
    let link = directory.appending(path: "daemon")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: program)
    try write("daemon.rule", rule)
    return link.path
  }

  /// Returns when a condition that depends on no process of the test is met; in virtual time, by that time.
  func until(_ what: String, _ isMet: () async throws -> Bool) async throws {
    let end = SuspendingClock.now + Invocation.timeout
    while try await !isMet() {
      guard SuspendingClock.now < end else { throw Invocation.WaitTimedOut(what: what, written: "") }
      try await SystemClock().sleep(for: .milliseconds(10))
    }
  }

  /// Whether an entry of this name exists.
  func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: directory.appending(path: name).path)
  }

  // MARK: Commands in this process

  /// Makes this directory the working directory of the calling thread and of the threads that it creates.
  func enter() throws {
    // Glibc declares `unshare` only for C with `_GNU_SOURCE`. A thread needs no privilege for its own directory.
    typealias Unshare = @convention(c) (Int32) -> Int32
    let unshare = unsafeBitCast(try #require(dlsym(nil, "unshare")), to: Unshare.self)
    let onlyFiles: Int32 = 0x200
    try #require(unshare(onlyFiles) == 0 && chdir(directory.path) == 0, "errno \(errno)")
  }

  /// Runs a command to its end on the calling task's loop, whose thread has entered this directory.
  /// - Parameter onInterrupt: Receives what Ctrl-C does to the command.
  func runHere(
    _ arguments: [String], bus: BusAddress,
    onInterrupt: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) async -> Invocation.Outcome {
    let written = Mutex((output: "", errors: ""))
    let wall = wall()
    let surroundings = Surroundings(
      variables: variables(bus: "local:\(directory.path)"), bus: bus,
      computer: computer.withLock { $0?.identity },
      wall: wall,
      write: { text, descriptor in
        written.withLock { if descriptor == STDOUT_FILENO { $0.output += text } else { $0.errors += text } }
      }, onInterrupt: onInterrupt)
    let status = await surroundings.run(arguments)
    lastEnd.withLock { $0 = wall() }
    return written.withLock {
      Invocation.Outcome(status: status, signal: nil, output: $0.output, errors: $0.errors)
    }
  }

  /// The time of day on the present loop: as far ahead of real time as the loop, and at least a second after the
  /// last command.
  private func wall() -> @Sendable () -> Date {
    guard let loop = LoopExecutor.current else { return { Date() } }
    let start = loop.now
    if let (_, fraction) = computer.withLock(\.self) {
      let next =
        max(Self.firstStart, lastEnd.withLock(\.self)).timeIntervalSinceReferenceDate.rounded(.up) + 1
      return {
        Date(timeIntervalSinceReferenceDate: next + fraction + start.duration(to: loop.now) / .seconds(1))
      }
    }
    let ahead = SuspendingClock.now.duration(to: start) / .seconds(1)
    let begin = max(Date().addingTimeInterval(ahead), lastEnd.withLock(\.self).addingTimeInterval(1))
    return { begin.addingTimeInterval(start.duration(to: loop.now) / .seconds(1)) }
  }

  /// Sets the computer of the commands in this process, and the fraction of a second at which each begins.
  func use(_ computer: Surroundings.Computer, fraction: Double) {
    self.computer.withLock { $0 = (computer, fraction) }
  }

  /// Programs have the time of day and the name of the present computer: from now on the commands in this process, too.
  private func leaveComputer() { computer.withLock { $0 = nil } }

  /// Whether the commands in this process depend on nothing outside.
  var hasComputer: Bool { computer.withLock { $0 != nil } }

  private func variables(bus: String) -> [String: String] {
    [
      "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "TERM": "xterm-256color",
      "HOME": directory.path, "DBUS_SYSTEM_BUS_ADDRESS": bus,
    ]
  }

  // MARK: Processes

  /// Starts `roboprov` with these arguments.
  /// - Parameters:
  ///   - bus: the value of `DBUS_SYSTEM_BUS_ADDRESS`; without it, the address of a bus that does not exist.
  ///   - wrapper: a command line that executes the arguments after it.
  func start(
    _ arguments: [String], bus: String? = nil, environment: [String: String] = [:],
    through wrapper: [String] = []
  ) throws -> Invocation {
    leaveComputer()
    return try start(
      command: wrapper + [Invocation.program.path] + arguments, bus: bus, environment: environment,
      takesInput: false)
  }

  private func start(
    command: [String], bus: String?, environment more: [String: String], takesInput: Bool
  ) throws -> Invocation {
    // libdbus takes no path of a socket that is longer than 99 bytes.
    let environment = variables(bus: bus ?? "unix:path=\(directory.path)/no-bus")
      .merging(more) { $1 }
    return try processes.withLock { processes in
      let process = try Invocation(
        command, environment: environment, in: directory, number: processes.count, takesInput: takesInput)
      processes.append(process)
      return process
    }
  }

  /// Starts `roboprov` at a terminal of 80 columns, whose contents are the output. The terminal echoes typed
  /// text.
  /// - Parameter next: a shell command that runs after `roboprov`, whatever its exit status.
  func startAtTerminal(
    _ arguments: [String], bus: String? = nil, environment: [String: String] = [:],
    andThen next: String? = nil
  ) throws -> Invocation {
    leaveComputer()
    let line = ([Invocation.program.path] + arguments).map(Self.quoted).joined(separator: " ")
    let rest = next.map { "trap : INT; \(line); \($0)" } ?? "exec \(line)"
    let script = ["script", "-q", "-e", "-f", "-c", "stty cols 80 rows 40; \(rest)", "/dev/null"]
    return try start(command: script, bus: bus, environment: environment, takesInput: true)
  }

  /// Quotes a text for the shell.
  private static func quoted(_ word: String) -> String {
    "'" + word.replacingOccurrences(of: "'", with: "'\\''") + "'"
  }

  /// Runs `roboprov` to its end: without a bus, variables or a wrapper within this process.
  func run(
    _ arguments: [String], bus: String? = nil, environment: [String: String] = [:],
    through wrapper: [String] = []
  ) async throws -> Invocation.Outcome {
    if bus == nil, environment.isEmpty, wrapper.isEmpty {
      return try await LoopExecutor.runInVirtualTime { [self] in
        try enter()
        let bus = LocalBus()
        await bus.stop()
        return await recorded(arguments, await runHere(arguments, bus: .local(bus)))
      }
    }
    return try await start(arguments, bus: bus, environment: environment, through: wrapper).ended()
  }

  /// Starts another program.
  func startTool(_ command: [String]) throws -> Invocation {
    try start(command: command, bus: nil, environment: [:], takesInput: false)
  }

  /// Runs another program to its end.
  func runTool(_ command: [String]) async throws -> Invocation.Outcome {
    try await startTool(command).ended()
  }
}

/// Lets a number of tests go on at once. The others wait, in the order in which they came.
private actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ number: Int) { free = number }

  func take() async {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
  }

  func give() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}

/// A room of a manifest in a test.
struct Place: Sendable {
  var minor: Int
  var address: String?
  /// The room's name; `Room <minor>` if nil.
  var name: String?

  /// Room `Room <100 + number>` with sensor `C4:7C:8D:00:00:<number>`.
  static func numbered(_ number: Int) -> Place {
    Place(minor: 100 + number, address: "C4:7C:8D:00:00:" + number.hex(digits: 2, uppercase: true))
  }
}
