package import Bluetooth
package import Model
package import Session

/// The state of `roboprov walk`, in which an installer visits the rooms of a building one by one: the current
/// room, and the action for each label or key.
///
/// It performs no effects. The caller performs each `Action` and reports the result.
package struct Walk: Sendable {
  /// A room of the walk.
  package struct Stop: Hashable, Sendable {
    package let room: RoomID
    package let name: String
    /// Nil when the manifest does not name it.
    package let floor: String?
    /// The family of its device, whose labels are read.
    package let family: FamilyID
    /// Whether its device can be asked to show where it is.
    package let canIdentify: Bool
    /// Whether the room takes the secrets of its device from its label, so that an address is not enough.
    package let needsLabel: Bool
    /// The address of the room's device, when it is known.
    package fileprivate(set) var address: BluetoothAddress?
    /// The name of the room's device, if the manifest has it.
    package fileprivate(set) var deviceName: String?
    package fileprivate(set) var state = State.open
    /// Whether this walk assigned the device, so that it can be undone.
    fileprivate var isOwnDevice = false

    /// - Parameters:
    ///   - address: The address from the manifest or the record.
    ///   - deviceName: The name from the manifest.
    package init(
      room: RoomID, name: String, floor: String? = nil, family: FamilyID, canIdentify: Bool = false,
      needsLabel: Bool = false, address: BluetoothAddress? = nil, deviceName: String? = nil
    ) {
      (self.room, self.name, self.floor, self.family) = (room, name, floor, family)
      (self.canIdentify, self.needsLabel) = (canIdentify, needsLabel)
      (self.address, self.deviceName) = (address, deviceName)
    }

    /// The room's device; nil until one is known.
    package var device: DeviceReference? { address.map { .address($0) } ?? deviceName.map { .name($0) } }

    fileprivate func has(_ device: DeviceReference) -> Bool {
      switch device {
      case .address(let address): self.address == address
      case .name(let name): deviceName == name
      }
    }
  }

  package enum State: Hashable, Sendable {
    case open
    case skipped
    case failed
    case done
  }

  /// An entry of the installer.
  package enum Entry: Hashable, Sendable {
    /// A scanned label or a typed line.
    case line(String)
    /// Enter on an empty line.
    case enter
    case key(Character)
  }

  /// The effect of an entry.
  package enum Action: Hashable, Sendable {
    case nothing
    /// Assign the label's device to the room, also in the manifest, and provision the room. Then call `assigned`
    /// and `ended`.
    case assign(DeviceLabel, Stop)
    /// Provision the room, whose device is known. Then call `ended`.
    case provision(Stop)
    /// Show the signal of the room's device until a key is pressed.
    case locate(DeviceReference)
    /// Have the device blink.
    case identify(DeviceReference)
    /// Remove the room's device from the manifest. Then call `undone`.
    case undo(Stop)
    case show(Message)
    case quit
  }

  package enum Message: Hashable, Sendable {
    case help
    /// The text names no device, or several.
    case badLabel(LabelProblem)
    /// The label belongs to the device of another room.
    case wrongLabel(DeviceReference, room: String)
    /// The room has another device.
    case otherDevice(DeviceReference, has: DeviceReference)
    /// No device is proposed, or the room has none.
    case nothingToTake
    /// Only the product's label has what the room needs.
    case needsLabel
    /// This walk assigned no device, or the room is done.
    case nothingToUndo
    case skipped(String)
    /// The device is not known, so it cannot be located.
    case noDevice
    /// Devices of its family cannot blink.
    case cannotIdentify
  }

  /// The rooms, in the order of the walk.
  package private(set) var stops: [Stop]
  private var index = 0
  private let owners: [DeviceReference: String]
  private let drivers: [FamilyDriver]

  /// The keys with a meaning on an empty line. None is a hexadecimal digit, with which a label begins.
  package static let keys: Set<Character> = ["r", "s", "u", "l", "i", "q", "?"]

  /// - Parameters:
  ///   - stops: The rooms to do, in this order.
  ///   - owners: The devices of other rooms, with the names of those rooms.
  ///   - drivers: Those of the building's families.
  package init(
    _ stops: [Stop], owners: [DeviceReference: String] = [:], _ drivers: [FamilyDriver] = BuiltIn.drivers
  ) {
    (self.stops, self.owners, self.drivers) = (stops, owners, drivers)
  }

  /// The current room; nil at the end of the walk.
  package var current: Stop? { stops.indices.contains(index) ? stops[index] : nil }

  /// The rooms that are not done.
  package var left: [Stop] { stops.filter { $0.state != .done } }

  /// The addresses that belong to a room.
  package var taken: Set<BluetoothAddress> {
    Set(owners.keys.compactMap(\.address)).union(stops.compactMap(\.address))
  }

  /// The action for an entry.
  /// - Parameter proposal: The device that is clearly nearest, or that was just switched on.
  package mutating func take(_ entry: Entry, proposal: BluetoothAddress?) -> Action {
    guard let stop = current else { return .quit }
    switch entry {
    case .enter:
      if stop.device != nil { return .provision(stop) }
      if stop.needsLabel { return .show(.needsLabel) }
      guard let proposal else { return .show(.nothingToTake) }
      return assign(proposal, to: stop)
    case .key("r"): return stop.device == nil ? .show(.nothingToTake) : .provision(stop)
    case .key("s"):
      if stop.state != .failed { stops[index].state = .skipped }
      goOn()
      return .show(.skipped(stop.name))
    case .key("u"): return undo()
    case .key("l"):
      guard let device = stop.device ?? proposal.map({ .address($0) }) else { return .show(.noDevice) }
      return .locate(device)
    case .key("i"):
      guard stop.canIdentify else { return .show(.cannotIdentify) }
      guard let device = stop.device ?? proposal.map({ .address($0) }) else { return .show(.noDevice) }
      return .identify(device)
    case .key("q"): return .quit
    case .key: return .show(.help)
    case .line(let text):
      do throws(LabelProblem) {
        return label(
          try LabelText.label(in: text, of: stop.family, drivers, beside: Array(taken)), stop)
      } catch {
        return .show(.badLabel(error))
      }
    }
  }

  private func label(_ label: DeviceLabel, _ stop: Stop) -> Action {
    let device = label.device
    // The secrets on the label may be other ones than those that the room has.
    if stop.has(device) { return label.secrets.isEmpty ? .provision(stop) : .assign(label, stop) }
    let other = owners[device] ?? stops.first { $0.has(device) }?.name
    if let other { return .show(.wrongLabel(device, room: other)) }
    if let has = stop.device { return .show(.otherDevice(device, has: has)) }
    if stop.needsLabel, device.name == nil { return .show(.needsLabel) }
    return .assign(label, stop)
  }

  private func assign(_ address: BluetoothAddress, to stop: Stop) -> Action {
    taken.contains(address) ? .show(.nothingToTake) : .assign(DeviceLabel(.address(address)), stop)
  }

  /// Undoes the newest assignment of this walk, unless its room is done.
  private func undo() -> Action {
    let place = [index, index - 1].first { place in
      stops.indices.contains(place) && stops[place].isOwnDevice && stops[place].state != .done
    }
    return place.map { .undo(stops[$0]) } ?? .show(.nothingToUndo)
  }

  // MARK: Results

  /// Records that the room has this device, also in the manifest.
  package mutating func assigned(_ device: DeviceReference, to room: RoomID) {
    guard let place = place(of: room), !stops[place].has(device) else { return }
    (stops[place].address, stops[place].deviceName) = (device.address, device.name)
    stops[place].isOwnDevice = true
  }

  /// Records that the room's device is removed; the room becomes the current one.
  package mutating func undone(_ room: RoomID) {
    guard let place = place(of: room) else { return }
    (stops[place].address, stops[place].deviceName) = (nil, nil)
    (stops[place].isOwnDevice, stops[place].state) = (false, .open)
    index = place
  }

  /// Records the result of a room. After a success the next room that is not done becomes the current one.
  package mutating func ended(_ room: RoomID, isDone: Bool) {
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
