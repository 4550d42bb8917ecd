package import DBus
package import FoundationEssentials

/// What a command uses besides its arguments and its files: environment variables, output, the system bus and
/// the time of day. A process has its own. A command with others runs within any process, and in virtual time.
package struct Surroundings: Sendable {
  /// All environment variables.
  package let variables: [String: String]
  /// The system bus.
  package let bus: BusAddress
  /// The time of day.
  package let wall: @Sendable () -> Date
  /// Receives what the command writes, with the file descriptor.
  package let write: @Sendable (String, Int32) -> Void

  package init(
    variables: [String: String], bus: BusAddress, wall: @escaping @Sendable () -> Date,
    write: @escaping @Sendable (String, Int32) -> Void
  ) {
    self.variables = variables
    self.bus = bus
    self.wall = wall
    self.write = write
  }

  /// The surroundings of the present command; nil for those of the process.
  @TaskLocal static var current: Surroundings?

  static var bus: BusAddress { current?.bus ?? .system }

  static var now: Date { current?.wall() ?? Date() }

  /// Runs the command of these arguments here.
  /// - Returns: Its exit status.
  package func run(_ arguments: [String]) async -> Int32 {
    await Self.$current.withValue(self) { await Roboprov.carryOut(arguments) }
  }
}
