package import Bluetooth
package import DBus
import EventLoop
package import FoundationEssentials
import Glibc
package import Model

/// What a command uses besides its arguments and its files: environment variables, output, the system bus and
/// the time of day. A process has its own. A command with others runs within any process, and in virtual time.
package struct Surroundings: Sendable {
  /// All environment variables.
  let variables: [String: String]
  /// The system bus.
  let bus: BusAddress
  /// What stands for the present computer in a record; nil for the computer itself.
  let computer: Computer?
  /// The time of day.
  let wall: @Sendable () -> Date
  /// Receives what the command writes, with the file descriptor.
  let write: @Sendable (String, Int32) -> Void
  /// Receives what Ctrl-C does to the command, each time the command determines it anew.
  let onInterrupt: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// What a record says of a computer, and its random bytes.
  package struct Computer: Sendable {
    let name: String
    let randomBytes: @Sendable (Int) -> [UInt8]

    package init(name: String, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
      (self.name, self.randomBytes) = (name, randomBytes)
    }
  }

  package init(
    variables: [String: String], bus: BusAddress, computer: Computer? = nil,
    wall: @escaping @Sendable () -> Date,
    write: @escaping @Sendable (String, Int32) -> Void,
    onInterrupt: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }
  ) {
    self.variables = variables
    self.bus = bus
    self.computer = computer
    self.wall = wall
    self.write = write
    self.onInterrupt = onInterrupt
  }

  /// The surroundings of the present command; nil for those of the process.
  @TaskLocal package static var current: Surroundings?

  package static var bus: BusAddress { current?.bus ?? .system(HostEnvironment.systemBusAddress) }

  package static var now: Date { current?.wall() ?? Date() }

  /// Time and chance for the work of a command.
  package struct Time: Sendable {
    /// Monotonic time.
    package var clock: any TimeSource
    /// Wall-clock time, at the pace of `clock`.
    package var wall: @Sendable () -> Date
    /// Random numbers of 0...1.
    package var chance: @Sendable () -> Double
    /// Random bytes for keys.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// A stream for one reader of the pauses of this host from now on.
    package var pauses: @Sendable () -> AsyncStream<HostPause>

    package init(
      clock: any TimeSource, wall: @escaping @Sendable () -> Date, chance: @escaping @Sendable () -> Double,
      randomBytes: @escaping @Sendable (Int) -> [UInt8] = Surroundings.randomBytes,
      pauses: @escaping @Sendable () -> AsyncStream<HostPause> = { AsyncStream { $0.finish() } }
    ) {
      (self.clock, self.wall, self.chance) = (clock, wall, chance)
      (self.randomBytes, self.pauses) = (randomBytes, pauses)
    }
  }

  package static func time() -> Time {
    // The process of other surroundings does not stop with the command.
    if let current { return Time(clock: SystemClock(), wall: current.wall, chance: { 0.5 }) }
    let clock = SteadyClock()
    let pauses = HostPauses {
      // A reading each second lets the clock detect the times in which this process did not run.
      _ = clock.now
      return HostClocks.now()
    }
    return Time(clock: clock, wall: { Date() }, chance: { Double.random(in: 0...1) }, pauses: pauses.stream)
  }

  /// Whether a descriptor is a terminal.
  package static func isTerminal(_ descriptor: Int32) -> Bool { current == nil && isatty(descriptor) == 1 }

  /// Whether a descriptor is a terminal that shows colours.
  package static func hasColor(_ descriptor: Int32) -> Bool {
    isTerminal(descriptor) && !HostEnvironment.wantsNoColor
  }

  /// Writes the whole text, in one system call if possible; waits while the descriptor is not ready.
  /// - Returns: The system's error; 0 without one.
  @discardableResult
  package static func write(_ text: String, to descriptor: Int32) -> Int32 {
    if let current {
      current.write(text, descriptor)
      return 0
    }
    do throws(POSIXError) {
      try Descriptor.write(Array(text.utf8), to: descriptor)
      return 0
    } catch {
      return error.code.rawValue
    }
  }

  /// Random bytes from the kernel, or of the surroundings' computer.
  package static func randomBytes(_ count: Int) -> [UInt8] {
    current?.computer?.randomBytes(count) ?? (0..<count).map { _ in UInt8.random(in: 0...255) }
  }
}
