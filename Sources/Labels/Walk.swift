public import Bluetooth
public import Model

/// The rooms of a building one after the other, for an installer who stands in front of each sensor: which room is next, what a
/// label or a key means there, and what follows.
///
/// Decides and does nothing: whoever holds it writes addresses, provisions and draws (`Action`), and says what became of it.
public struct Walk: Sendable {
  /// A room of the walk.
  public struct Stop: Hashable, Sendable {
    /// The room.
    public let room: RoomID
    /// What people call it.
    public let name: String
    /// Where it is; nil where the manifest does not say.
    public let floor: String?
    /// Its device, once it is known.
    public fileprivate(set) var address: BluetoothAddress?
    /// How far it is.
    public fileprivate(set) var state = State.open
    /// Whether its device was given in this walk, and can be taken back.
    fileprivate var isOwnAddress = false

    /// A room; `address` is the manifest's or the record's.
    public init(room: RoomID, name: String, floor: String? = nil, address: BluetoothAddress? = nil) {
      (self.room, self.name, self.floor, self.address) = (room, name, floor, address)
    }
  }

  /// How far a room is.
  public enum State: Hashable, Sendable {
    case open
    case skipped
    case failed
    case done
  }

  /// What was typed, scanned or pressed.
  public enum Entry: Hashable, Sendable {
    /// A line: a label, or what somebody typed.
    case line(String)
    /// Enter on an empty line.
    case enter
    /// A single key.
    case key(Character)
  }

  /// What is to be done.
  public enum Action: Hashable, Sendable {
    case nothing
    /// Give the room this address, in the manifest too, and provision it. Then say `assigned`, and `ended`.
    case assign(BluetoothAddress, Stop)
    /// Provision the room, whose device is known. Then say `ended`.
    case provision(Stop)
    /// Show the signal of the room's device until a key is pressed.
    case locate(BluetoothAddress)
    /// Take the room's address out of the manifest again. Then say `undone`.
    case undo(Stop)
    /// Say something.
    case tell(Message)
    /// The walk is over.
    case quit
  }

  /// What is said.
  public enum Message: Hashable, Sendable {
    case help
    /// The text has no address, or not one.
    case badLabel(LabelProblem)
    /// The label is that of another room's device.
    case wrongLabel(BluetoothAddress, room: String)
    /// The room has another device.
    case otherDevice(BluetoothAddress, has: BluetoothAddress)
    /// There is no device to take.
    case nothingToTake
    /// There is nothing to undo: no address was given in this walk, or the room is done.
    case nothingToUndo
    case skipped(String)
    /// The device's address is not known, so it cannot be located.
    case noDevice
  }

  /// The rooms, in the manifest's order.
  public private(set) var stops: [Stop]
  private var index = 0
  private let owners: [BluetoothAddress: String]

  /// The keys that mean something on an empty line. None is a hexadecimal digit, with which labels begin.
  public static let keys: Set<Character> = ["r", "s", "u", "l", "q", "?"]

  /// A walk.
  /// - Parameters:
  ///   - stops: The rooms that are to be done, in this order.
  ///   - owners: The devices of other rooms, with the rooms' names.
  public init(_ stops: [Stop], owners: [BluetoothAddress: String] = [:]) {
    self.stops = stops
    self.owners = owners
  }

  /// The room that is next; nil when all had their turn.
  public var current: Stop? { stops.indices.contains(index) ? stops[index] : nil }

  /// The rooms that are not done.
  public var left: [Stop] { stops.filter { $0.state != .done } }

  /// The devices that rooms have.
  public var taken: Set<BluetoothAddress> { Set(owners.keys).union(stops.compactMap(\.address)) }

  /// What follows from what was typed.
  /// - Parameter proposal: The device that is clearly nearest, or was just switched on.
  public mutating func take(_ entry: Entry, proposal: BluetoothAddress?) -> Action {
    guard let stop = current else { return .quit }
    switch entry {
    case .enter:
      if stop.address != nil { return .provision(stop) }
      guard let proposal else { return .tell(.nothingToTake) }
      return assign(proposal, to: stop)
    case .key("r"): return stop.address == nil ? .tell(.nothingToTake) : .provision(stop)
    case .key("s"):
      if stop.state != .failed { stops[index].state = .skipped }
      goOn()
      return .tell(.skipped(stop.name))
    case .key("u"): return undo()
    case .key("l"):
      guard let address = stop.address ?? proposal else { return .tell(.noDevice) }
      return .locate(address)
    case .key("q"): return .quit
    case .key: return .tell(.help)
    case .line(let text):
      do throws(LabelProblem) {
        return label(try LabelText.address(in: text), stop)
      } catch {
        return .tell(.badLabel(error))
      }
    }
  }

  private func label(_ address: BluetoothAddress, _ stop: Stop) -> Action {
    if address == stop.address { return .provision(stop) }
    let other = owners[address] ?? stops.first { $0.address == address }?.name
    if let other { return .tell(.wrongLabel(address, room: other)) }
    if let has = stop.address { return .tell(.otherDevice(address, has: has)) }
    return .assign(address, stop)
  }

  private func assign(_ address: BluetoothAddress, to stop: Stop) -> Action {
    taken.contains(address) ? .tell(.nothingToTake) : .assign(address, stop)
  }

  /// The address that was given last, where its room is not done.
  private func undo() -> Action {
    let place = [index, index - 1].first { place in
      stops.indices.contains(place) && stops[place].isOwnAddress && stops[place].state != .done
    }
    return place.map { .undo(stops[$0]) } ?? .tell(.nothingToUndo)
  }

  // MARK: What became of it

  /// Says that the room has this address, in the manifest too.
  public mutating func assigned(_ address: BluetoothAddress, to room: RoomID) {
    guard let place = place(of: room) else { return }
    (stops[place].address, stops[place].isOwnAddress) = (address, true)
  }

  /// Says that the room's address was taken back: it is next again.
  public mutating func undone(_ room: RoomID) {
    guard let place = place(of: room) else { return }
    (stops[place].address, stops[place].isOwnAddress, stops[place].state) = (nil, false, .open)
    index = place
  }

  /// Says how the room ended. After a success the next room that is open follows.
  public mutating func ended(_ room: RoomID, isDone: Bool) {
    guard let place = place(of: room) else { return }
    stops[place].state = isDone ? .done : .failed
    if isDone { goOn() }
  }

  private mutating func goOn() {
    index += 1
    while current?.state == .done { index += 1 }
  }

  private func place(of room: RoomID) -> Int? { stops.firstIndex { $0.room == room } }
}
