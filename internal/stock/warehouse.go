package stock

// MainWarehouse is the code of the default warehouse an account starts with.
const MainWarehouse = "MAIN"
