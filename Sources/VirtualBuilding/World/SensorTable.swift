import Bluetooth

/// The sensors of a world, found by address or, for speed, by index in the order of addresses.
struct SensorTable {
  private var states: [SensorState]
  private var numbers: [BluetoothAddress: Int] = [:]

  /// Creates a table. The addresses must differ.
  init(_ sensors: [SensorState]) {
    states = sensors.sorted { $0.scenario.address < $1.scenario.address }
    for (number, state) in states.enumerated() {
      let address = state.scenario.address
      precondition(numbers.updateValue(number, forKey: address) == nil, "two sensors at \(address)")
    }
  }

  /// The indices, in the order of addresses.
  var indices: Range<Int> { states.indices }

  /// The index of the sensor at an address; nil if there is none.
  func number(of address: BluetoothAddress) -> Int? { numbers[address] }

  /// The sensor at an address. It is nil if there is none, and then cannot be set.
  subscript(address: BluetoothAddress) -> SensorState? {
    get { numbers[address].flatMap { states[$0] } }
    set { if let number = numbers[address], let newValue { states[number] = newValue } }
  }

  /// The sensor at an index, modified in place.
  subscript(number: Int) -> SensorState {
    _read { yield states[number] }
    _modify { yield &states[number] }
  }
}
